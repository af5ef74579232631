// SPDX-License-Identifier: Apache-2.0

// Verifies a log with the Go project's own implementation, which shares nothing with ours.
//
//	verify KEY DIR OLD-CHECKPOINT RECEIPT...
//
// The signature, every tile and every entry; that the log begins with what the old checkpoint says;
// and that each receipt (a tlog-proof file) proves its entry. The last line is `verified SIZE`.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func fail(format string, args ...any) {
	fmt.Printf("refused: "+format+"\n", args...)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func open(text []byte, key note.Verifier) tlog.Tree {
	signed, err := note.Open(text, note.VerifierList(key))
	check(err)
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 4 || lines[0] != key.Name() {
		fail("not a checkpoint")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	return tlog.Tree{N: size, Hash: root}
}

func path(kind string, index int64, width int) string {
	name := fmt.Sprintf("%03d", index%1000)
	for index >= 1000 {
		index /= 1000
		name = fmt.Sprintf("x%03d/%s", index%1000, name)
	}
	if width < 256 {
		name += fmt.Sprintf(".p/%d", width)
	}
	return filepath.Join("tile", kind, name)
}

type tiles struct{ dir string }

func (t tiles) Height() int                                  { return 8 }
func (t tiles) SaveTiles(tiles []tlog.Tile, data [][]byte) {}
func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		data, err := os.ReadFile(filepath.Join(t.dir, path(strconv.Itoa(tile.L), tile.N, tile.W)))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func main() {
	key, err := note.NewVerifier(os.Args[1])
	check(err)
	dir := os.Args[2]
	text, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	check(err)
	tree := open(text, key)
	hashes := tlog.TileHashReader(tree, tiles{dir})

	// Every entry, and through it every tile of the lowest level.
	var entries [][]byte
	for first := int64(0); first < tree.N; first += 256 {
		width := 256
		if tree.N-first < 256 {
			width = int(tree.N - first)
		}
		data, err := os.ReadFile(filepath.Join(dir, path("entries", first/256, width)))
		check(err)
		var indexes []int64
		for i := 0; i < width; i++ {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				fail("entry %d is cut", first+int64(i))
			}
			length := int(binary.BigEndian.Uint16(data))
			entries = append(entries, data[2:2+length])
			data = data[2+length:]
			indexes = append(indexes, tlog.StoredHashIndex(0, first+int64(i)))
		}
		if len(data) > 0 {
			fail("bytes behind entry %d", first+int64(width))
		}
		stored, err := hashes.ReadHashes(indexes)
		check(err)
		for i, hash := range stored {
			if hash != tlog.RecordHash(entries[first+int64(i)]) {
				fail("entry %d is not what was hashed", first+int64(i))
			}
		}
	}
	// Every other tile.
	for level, count := 1, tree.N/256; count > 0; level, count = level+1, count/256 {
		for index := int64(0); index < count; index++ {
			_, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(8*level, index)})
			check(err)
		}
	}
	root, err := tlog.TreeHash(tree.N, hashes)
	check(err)
	if root != tree.Hash {
		fail("another root")
	}

	text, err = os.ReadFile(os.Args[3])
	check(err)
	old := open(text, key)
	if old.N > tree.N {
		fail("the log had %d entries, now %d", old.N, tree.N)
	}
	if old.N > 0 {
		proof, err := tlog.ProveTree(tree.N, old.N, hashes)
		check(err)
		check(tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash))
	}

	for _, file := range os.Args[4:] {
		text, err := os.ReadFile(file)
		check(err)
		before, signed, found := bytes.Cut(text, []byte("\n\n"))
		lines := strings.Split(string(before), "\n")
		if !found || lines[0] != "c2sp.org/tlog-proof@v1" {
			fail("not a proof")
		}
		covered := open(signed, key)
		index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
		check(err)
		var proof tlog.RecordProof
		for _, line := range lines[2:] {
			hash, err := tlog.ParseHash(line)
			check(err)
			proof = append(proof, hash)
		}
		check(tlog.CheckRecord(proof, covered.N, covered.Hash, index, tlog.RecordHash(entries[index])))
	}
	fmt.Printf("verified %d\n", tree.N)
}
