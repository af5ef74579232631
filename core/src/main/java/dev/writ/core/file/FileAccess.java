// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.file;

import dev.writ.core.broker.Asker;

/// The files of a session, for the host application that acts for it. Whatever is done here is
/// judged and recorded as if a program in a sandbox of the session had done it: where the path
/// leads is found once, the object is held, judged, and acted upon. Where the policy asks, this
/// waits for the answer.
///
/// There is nothing but files, folders and links here: pipes, sockets and devices are refused. May
/// be used from several threads.
///
/// Each method throws [FileException] for what does not come about.
public interface FileAccess {
    /// What is there; to learn that is to read it.
    FileStatus look(Spot spot);

    /// Opens a file to be read.
    OpenFile read(Spot spot);

    /// Opens a folder, whose names may then be seen.
    OpenFolder folder(Spot spot);

    /// Begins a file, or a new content for one: nothing changes before it is committed.
    Draft write(Spot spot, Draft.Wish wish);

    /// Makes a folder.
    void makeFolder(Spot spot);

    /// Makes a symbolic link. Where it leads is judged when somebody goes there.
    void makeLink(Spot spot, String target);

    /// Where the symbolic link leads.
    String readLink(Spot spot);

    /// Removes a file, a link or an empty folder.
    void remove(Spot spot);

    /// Gives something another name, instead of what has that name now.
    void move(Spot from, Spot to);

    /// The same for somebody in particular: a question to the operator lasts as long as they wait.
    FileAccess waitedForBy(Asker asker);
}
