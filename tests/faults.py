# SPDX-License-Identifier: Apache-2.0
"""Tries to make `writ run` leave something behind, hang, or lose a byte.

Every process of a run has a mark in its environment, so that /proc shows what is left of it. Nothing here depends on how fast
the machine is: what must happen is waited for, for a long time.
"""
import fcntl
import hashlib
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

WRIT = sys.argv[1]
ONLY = sys.argv[2:]
SOAK = int(os.environ.get('WRIT_SOAK', '1'))
PATIENCE = 60  # seconds
MARK = 'WRIT_TEST_MARK'
# It may lie anywhere.
PYTHON = ('--allow', 'read:' + sys.base_prefix, '--allow', 'exec:' + os.path.realpath(sys.executable))
random.seed(int(os.environ.get('WRIT_SEED', '7')))


TRIALS = []


def trial(function):
    TRIALS.append(function)
    return function


class Run:
    """One `writ run`, in a folder and with a TMPDIR of its own."""

    def __init__(self, *command, flags=(), folder=None, tmp=None, prefix=(), **streams):
        self.folder = folder or tempfile.mkdtemp(prefix='work.')
        self.tmp = tmp or tempfile.mkdtemp(prefix='tmp.')
        self.mark = '%s=%s' % (MARK, os.urandom(8).hex())
        name, value = self.mark.split('=')
        environment = dict(os.environ, TMPDIR=self.tmp, **{name: value})
        policy = () if os.path.exists(self.file('writ.yaml')) else ('--no-policy', '--profile', 'workspace')
        words = [*prefix, WRIT, 'run', *policy, *PYTHON, '--allow', 'env:' + MARK, *flags, '--', *command]
        self.process = subprocess.Popen(words, cwd=self.folder, env=environment, **streams)

    def alive(self):
        """The processes that have the mark, without Writ's own and those that are as good as gone."""
        return [p for p in processes(self.mark) if p != self.process.pid]

    def end(self):
        return self.process.wait(PATIENCE)

    def file(self, name):
        return os.path.join(self.folder, name)

    def left(self):
        return os.listdir(self.tmp)


def state(pid):
    with open('/proc/%s/stat' % pid) as f:
        return f.read().rsplit(')', 1)[1].split()[0]


def processes(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/environ' % pid, 'rb') as f:
                if mark.encode() not in f.read().split(b'\0'):
                    continue
            if state(pid) not in 'ZX':
                found.append(int(pid))
        except (OSError, IndexError):
            pass
    return found


def end(pid, mark):
    """Kills a process that has the mark, and never one that has its number since."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if pid in processes(mark):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        pass
    finally:
        os.close(handle)


def eventually(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise AssertionError('waited too long until ' + what)
        time.sleep(0.01)


def same(wanted, got):
    if wanted != got:
        raise AssertionError('wanted %r, got %r' % (wanted, got))


def python(text):
    return [sys.executable, '-c', text]


class Terminal:
    """A terminal with a person at it, who reads all the time."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.seen = b''
        self.open = True
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while self.open:
            try:
                if select.select([self.master], [], [], 0.05)[0]:
                    self.seen += os.read(self.master, 1 << 16)
            except (OSError, ValueError):
                return

    def mode(self):
        return termios.tcgetattr(self.slave)

    def type(self, text):
        os.write(self.master, text.encode())

    def await_(self, text):
        eventually('%r is on the screen, not %r' % (text, self.seen[-300:]), lambda: text.encode() in self.seen)

    def hang_up(self):
        self.open = False
        self.reader.join()
        os.close(self.slave)
        os.close(self.master)

    def run(self, *command, **more):
        def own():
            os.setsid()
            fcntl.ioctl(2, termios.TIOCSCTTY, 0)
        streams = {'stdin': self.slave, 'stdout': self.slave, 'stderr': self.slave, **more}
        return Run(*command, preexec_fn=own, **streams)


# What a program does that does not want to be found: every sort of process, in every sort of state, again and again.
WORKLOAD = r'''
import os, random, signal, subprocess, sys, time
def child(f):
    if os.fork() == 0:
        try: f()
        finally: os._exit(0)
def daemon():
    os.setsid()
    child(lambda: (os.closerange(0, 3), time.sleep(600)))
def deaf():
    for s in range(1, 65):
        try: signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError): pass
    time.sleep(600)
def stopped():
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(600)
def nested():
    for _ in range(4): child(nested_once)
    time.sleep(600)
def nested_once():
    child(lambda: time.sleep(600)); os.setpgid(0, 0); time.sleep(600)
def execs():
    while True: subprocess.call(['sh', '-c', 'true & sh -c true'])
def vforks():
    while True: os.waitpid(os.posix_spawn('/bin/true', ['true'], os.environ), 0)
def becomes():
    os.execv('/bin/sh', ['sh', '-c', 'exec sh -c "exec sleep 600"'])
def held():
    open('fifo')
def asks():
    open('asked', 'w'); time.sleep(600)
def files():
    while True:
        with open('f%d' % os.getpid(), 'w') as f: f.write('x')
        os.rename(f.name, f.name + '.b')
        os.environ['TMPDIR'] and open(os.environ['TMPDIR'] + '/t', 'w').close()
try: os.mkfifo('fifo')
except OSError: pass
open('begun', 'w').close()
sorts = [daemon, deaf, stopped, nested, execs, vforks, becomes, held, asks, files]
for sort in sorts: child(sort)
open('all', 'w').close()
while True:
    for sort in random.sample(sorts, 2): child(sort)
    time.sleep(0.05)
'''


def killed_once(moment):
    terminal = Terminal() if moment % 4 == 0 else None
    before = terminal and terminal.mode()
    flags = ('--ask', 'write:./asked')
    run = terminal.run(*python(WORKLOAD), flags=flags) if terminal else \
        Run(*python(WORKLOAD), flags=flags, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # Any moment from before there is anything to the middle of it.
    early = moment % 3
    if early:
        eventually('it has begun', lambda: os.path.exists(run.file('begun' if early == 1 else 'all')) or run.process.poll() is not None)
    time.sleep(random.random() * (0.8 if early == 0 else 0.2))
    run.process.kill()
    run.end()
    eventually('nobody is left of moment %d: %s' % (moment, run.alive()), lambda: not run.alive())
    if terminal:
        eventually('the terminal is as it was', lambda: terminal.mode() == before)
        terminal.hang_up()
    again = Run('true', tmp=run.tmp)
    same(0, again.end())
    same([], run.left())
    shutil.rmtree(run.folder)


@trial
def killed_at_any_moment_nobody_is_left():
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(killed_once, range(20 if SOAK == 1 else 100)))


@trial
def the_workload_would_outlive_its_starter_without_writ():
    folder = tempfile.mkdtemp(prefix='work.')
    mark = '%s=%s' % (MARK, os.urandom(8).hex())
    environment = dict(os.environ, TMPDIR=folder, **{MARK: mark.split('=')[1]})
    # Some of it is stopped, and the kernel hangs up on a group that has such members when others of it end.
    plain = subprocess.Popen(python(WORKLOAD), cwd=folder, env=environment, start_new_session=True)
    eventually('all have begun', lambda: os.path.exists(os.path.join(folder, 'all')))
    plain.kill()
    plain.wait()
    alive = processes(mark)
    while processes(mark):
        for pid in processes(mark):
            end(pid, mark)
    if len(alive) < 5:
        raise AssertionError('only %s were left' % alive)


@trial
def what_is_left_of_a_killed_run_is_removed_by_the_next_and_nothing_else():
    tmp = tempfile.mkdtemp(prefix='tmp.')
    live = Run('sh', '-c', 'echo x > $TMPDIR/x; echo > up; while ! test -e go; do sleep 0.1; done; cat $TMPDIR/x > y', tmp=tmp)
    killed = Run('sh', '-c', 'ln -s %s $TMPDIR/link; mkdir -p $TMPDIR/a/b; : > $TMPDIR/a/b/c; chmod 0 $TMPDIR/a; chmod 500 $TMPDIR;'
                 ' echo > up; sleep 600' % live.folder, tmp=tmp)
    eventually('both are up', lambda: os.path.exists(live.file('up')) and os.path.exists(killed.file('up')))
    killed.process.kill()
    killed.end()
    # Names that look like it, but are not: of the operator, and a link to what is dear.
    dear = tempfile.mkdtemp(prefix='dear.')
    open(os.path.join(dear, 'file'), 'w').close()
    os.symlink(dear, os.path.join(tmp, 'writ-run-0123456789abcdef'))
    os.mkdir(os.path.join(tmp, 'writ-run-mine'))
    same(5, len(os.listdir(tmp)) + 1)
    same(0, Run('true', tmp=tmp).end())
    same(['file'], os.listdir(dear))
    if 'writ-run-mine' not in os.listdir(tmp) or len(os.listdir(tmp)) != 3:
        raise AssertionError('left: %s' % os.listdir(tmp))
    open(live.file('go'), 'w').close()
    same(0, live.end())
    same('x\n', open(live.file('y')).read())


@trial
def nothing_that_an_agent_puts_there_stays_among_the_temporary_files():
    run = Run(*python('''
import os
os.chdir(os.environ['TMPDIR'])
for i in range(3000): open(str(i), 'w').close()
try:
    for i in range(9000):
        os.mkdir('d'); os.chdir('d')
        if i % 1000 == 0: open('f', 'w').close()
except OSError: pass
os.chdir(os.environ['TMPDIR'])
os.symlink('/', 'root'); os.mkfifo('fifo'); os.mkdir(b'\\xff\\xfe'); os.mkdir('shut'); os.mkdir('shut/in'); os.chmod('shut', 0)
os.chmod('.', 0o500)
'''))
    same(0, run.end())
    same([], run.left())


@trial
def what_a_run_leaves_behind_is_gone_when_it_returns():
    run = Run(*python(WORKLOAD.split('while True:\n    for sort')[0] + 'time.sleep(1); sys.exit(7)'), stdin=subprocess.DEVNULL)
    same(7, run.end())
    same([], run.alive())
    same([], run.left())


@trial
def a_hang_up_ends_everything():
    for command in (['sleep', '600'], python('import signal, time\nsignal.signal(1, signal.SIG_IGN)\nprint("deaf")\ntime.sleep(600)')):
        terminal = Terminal()
        run = terminal.run('sh', '-c', 'echo > up; "$@"', 'sh', *command)
        eventually('it is up', lambda: os.path.exists(run.file('up')))
        terminal.hang_up()
        run.end()
        same([], run.alive())
        same([], run.left())


@trial
def a_parent_that_dies_takes_everything_along():
    terminal = Terminal()
    folder = tempfile.mkdtemp(prefix='work.')
    # The shell is the leader of the terminal's session, Writ its job.
    mark = '%s=%s' % (MARK, os.urandom(8).hex())

    def own():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    shell = subprocess.Popen(
        ['sh', '-c', '%s run --no-policy --profile workspace --allow env:%s -- sh -c "echo > up; sleep 600"; true' % (WRIT, MARK)], cwd=folder,
        stdin=terminal.slave, stdout=terminal.slave, stderr=terminal.slave, preexec_fn=own,
        env=dict(os.environ, **{MARK: mark.split('=')[1]}))
    eventually('it is up', lambda: os.path.exists(os.path.join(folder, 'up')))
    shell.kill()
    shell.wait()
    eventually('nobody is left', lambda: not processes(mark))
    terminal.hang_up()


@trial
def signals_are_for_the_command():
    script = '''
import os, signal, sys, time
def on(n, _):
    os.write(1, (signal.Signals(n).name + chr(10)).encode())
    if n == signal.SIGTERM: sys.exit(5)
for s in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM): signal.signal(s, on)
open('up', 'w').close()
while True: time.sleep(1)
'''
    wanted = 'SIGHUP\nSIGINT\nSIGTERM\n'
    run = Run(*python(script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    eventually('it is up', lambda: os.path.exists(run.file('up')))
    heard = b''
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        run.process.send_signal(number)
        heard += run.process.stdout.readline()
    same(5, run.end())
    same(wanted, heard.decode())
    terminal = Terminal()
    before = terminal.mode()
    run = terminal.run(*python(script))
    eventually('it is up', lambda: os.path.exists(run.file('up')))
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        run.process.send_signal(number)
        terminal.await_(number.name)
    same(5, run.end())
    same(before, terminal.mode())
    terminal.hang_up()


@trial
def what_is_typed_for_somebody_else_is_not_read():
    # Output goes elsewhere, so the streams are Writ's own. All that is a terminal is open for both ways.
    script = r'''
import os
os.write(2, b'ready')
for stream in (0, 2):
    try: os.write(1, b'%d %r\n' % (stream, os.read(stream, 100)))
    except OSError as e: os.write(1, b'%d error\n' % stream)
'''
    behind = '''
import os, sys
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execv(sys.argv[1], sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
'''
    for prefix, wanted in (((), b"0 b'typed\\n'\n2 error\n"), (python(behind), b"0 b''\n2 error\n")):
        terminal = Terminal()
        run = terminal.run(*python(script), prefix=prefix, stdout=subprocess.PIPE)
        terminal.await_('ready')
        terminal.type('typed\n')
        same(wanted, run.process.communicate(timeout=PATIENCE)[0])
        same(0, run.process.returncode)
        terminal.hang_up()
    # Pagers have their keys from standard error.
    for prefix, wanted in (((), "2 b'typed"), (python(behind), '2 error')):
        terminal = Terminal()
        run = terminal.run(*python(script), prefix=prefix, stdin=subprocess.DEVNULL)
        terminal.await_('ready')
        terminal.type('typed\n')
        terminal.await_(wanted)
        same(0, run.end())
        terminal.hang_up()


@trial
def without_a_handler_signals_end_it_as_they_end_others():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        for terminal in (None, Terminal()):
            before = terminal and terminal.mode()
            command = ('sh', '-c', 'echo > up; exec sleep 600')
            run = terminal.run(*command) if terminal else Run(*command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            eventually('it is up', lambda: os.path.exists(run.file('up')))
            run.process.send_signal(number)
            code = run.end()
            same(-number if number == signal.SIGQUIT else 128 + number, code)
            eventually('nobody is left', lambda: not run.alive())
            if terminal:
                eventually('the terminal is as it was', lambda: terminal.mode() == before)
                terminal.hang_up()
            else:
                same(b'', run.process.stdout.read())
            same([], [f for f in os.listdir(run.folder) if f.startswith('core')])
            same(0, Run('true', tmp=run.tmp).end())
            same([], run.left())


@trial
def it_stops_and_goes_on_with_its_command():
    for terminal in (None, None, None, Terminal(), Terminal()):
        command = ('sh', '-c', 'echo > up; while ! test -e go; do sleep 0.05; echo . >> ticks; done')
        run = terminal.run(*command) if terminal else Run(*command, stdin=subprocess.DEVNULL)
        eventually('it ticks', lambda: os.path.exists(run.file('ticks')))
        run.process.send_signal(signal.SIGTSTP)
        eventually('it has stopped', lambda: os.waitpid(run.process.pid, os.WUNTRACED | os.WNOHANG)[0])
        same('T', state(run.process.pid))
        if terminal:
            same(True, bool(terminal.mode()[3] & termios.ICANON))
        ticks = os.path.getsize(run.file('ticks'))
        time.sleep(0.5)
        if os.path.getsize(run.file('ticks')) > ticks + 2:
            raise AssertionError('the command goes on while Writ is stopped')
        open(run.file('go'), 'w').close()
        run.process.send_signal(signal.SIGCONT)
        same(0, run.end())
        if terminal:
            terminal.hang_up()


@trial
def input_may_be_closed_slow_or_without_an_end():
    reading, writing = os.pipe()
    same(0, Run('true', stdin=reading).end())
    run = Run('cat', stdin=reading, stdout=subprocess.PIPE)
    for part in (b'a', b'b', b'c'):
        time.sleep(0.3)
        os.write(writing, part)
    os.close(writing)
    same(b'abc', run.process.stdout.read())
    same(0, run.end())
    os.close(reading)


@trial
def closed_streams_are_nothing_and_show_nothing():
    for closed in ('<&-', '>&-', '2>&-', '<&- >&-', '<&- >&- 2>&-'):
        run = Run('sh', '-c', 'x=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2); echo "$x" > out', prefix=('sh', '-c', 'exec "$@" ' + closed, 'sh'),
                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        same(0, run.end())
        same('/dev/null\n' * 3, open(run.file('out')).read())


@trial
def a_reader_that_leaves_ends_it_like_the_plain_command():
    run = Run('yes', stdout=subprocess.PIPE)
    same(b'y\n', run.process.stdout.readline())
    run.process.stdout.close()
    same(128 + signal.SIGPIPE, run.end())


MANY = 100_000_000


@trial
def a_hundred_megabytes_go_each_way_at_once_unchanged():
    block = os.urandom(1 << 20)
    run = Run('cat', stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    both_ways(block, run.process.stdin.fileno(), run.process.stdout.fileno(), lambda: run.process.stdin.close())
    same(0, run.end())


def both_ways(block, to, from_, close, total=MANY):
    sent, got = hashlib.sha256(), hashlib.sha256()

    def send():
        left = total
        while left:
            part = block[:left]
            view = memoryview(part)
            while view:
                view = view[os.write(to, view):]
            sent.update(part)
            left -= len(part)
        close()
    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    count = 0
    while count < total:
        data = os.read(from_, 1 << 16)
        if not data:
            break
        count += len(data)
        got.update(data)
    sender.join(PATIENCE)
    same(total, count)
    same(sent.hexdigest(), got.hexdigest())


@trial
def a_terminal_carries_every_byte_unchanged_both_ways():
    total = MANY // 20
    terminal = Terminal()
    run = terminal.run('sh', '-c', 'stty raw -echo; echo > up; exec head -c %d' % total)
    eventually('it is up', lambda: os.path.exists(run.file('up')))
    terminal.open = False
    terminal.reader.join()
    both_ways(os.urandom(1 << 16), terminal.master, terminal.master, lambda: None, total)
    same(0, run.end())
    terminal.open = True
    os.close(terminal.slave)
    os.close(terminal.master)


@trial
def the_exit_codes_are_those_that_are_promised():
    for code, command, flags in (
            (0, ['true'], ()), (42, ['sh', '-c', 'exit 42'], ()), (125, ['true'], ('--no-such-flag',)),
            (125, ['true'], ('--policy', 'no-such-file')), (126, ['ls'], ('--deny', 'exec:ls')),
            (126, ['sh', '-c', 'ls'], ('--deny', 'exec:ls')), (126, ['./text'], ()), (126, ['./'], ()),
            (127, ['no-such-command'], ()), (127, ['./no-such-command'], ()),
            (137, ['sh', '-c', 'kill -9 $$'], ()), (139, ['sh', '-c', 'kill -SEGV $$'], ())):
        folder = tempfile.mkdtemp(prefix='work.')
        open(os.path.join(folder, 'text'), 'w').close()
        run = Run(*command, flags=flags, folder=folder, stderr=subprocess.PIPE)
        got = run.end()
        errors = run.process.stderr.read().decode()
        if got != code or (code in (125, 126, 127) and not errors.startswith('writ: ')):
            raise AssertionError('%s %s: wanted %d, got %d: %s' % (flags, command, code, got, errors))


@trial
def a_policy_that_changes_during_the_run_changes_nothing():
    folder = tempfile.mkdtemp(prefix='work.')
    policy = os.path.join(folder, 'writ.yaml')
    with open(policy, 'w') as f:
        f.write('version: 1\nextends: [workspace]\ndeny: [read:./secret]\n')
    with open(os.path.join(folder, 'secret'), 'w') as f:
        f.write('CANARY')
    run = Run('sh', '-c', 'echo > up; while ! test -e go; do sleep 0.05; done; cat secret; echo "version: 1" > writ.yaml; rm writ.yaml;'
              ' mv writ.yaml x; cat secret', folder=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    eventually('it is up', lambda: os.path.exists(run.file('up')))
    wide = 'version: 1\nextends: [workspace]\n'
    with open(policy, 'w') as f:
        f.write(wide)
    with open(policy + '.new', 'w') as f:
        f.write(wide)
    os.rename(policy + '.new', policy)
    open(run.file('go'), 'w').close()
    output, errors = run.process.communicate(timeout=PATIENCE)
    same(b'', output)
    same(wide, open(policy).read())
    same(True, b'read:./secret' in errors)


class FullDisk:
    """A file system with hardly any room, in a namespace of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='small.')
        self.prefix = ('unshare', '-rm' if os.getuid() else '-m', 'sh', '-c',
                       'mount -t tmpfs -o size=256k,nr_inodes=100,mode=777 tmpfs %s && shift && exec "$@"' % self.folder, 'sh', 'x')

    def possible(self):
        return subprocess.call([*self.prefix, 'true'], stderr=subprocess.DEVNULL) == 0


@trial
def a_full_disk_is_an_error_like_any_other():
    disk = FullDisk()
    if not disk.possible():
        return 'no mount namespace can be had here'
    fill = 'head -c 10000000 /dev/zero > %s/fill 2> /dev/null; ' % disk.folder
    # the workspace
    run = Run('sh', '-c', 'cd %s; head -c 10000000 /dev/zero > big; echo $?; cat /etc/passwd | head -c 4; echo more > more; echo end' % disk.folder,
              prefix=disk.prefix, flags=('--allow', 'write:' + disk.folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = run.process.communicate(timeout=PATIENCE)
    same('1\nrootend\n', output.decode())
    same(True, b'No space left' in errors)
    # the record
    record = disk.folder + '/events.json'
    prefix = (*disk.prefix, 'sh', '-c', '"$@"; code=$?; tail -c 1 %s | od -c >&2; exit $code' % record, 'sh')
    run = Run(*python('''
import os
refused = 0
for i in range(20000):
    try: os.close(os.open('/etc/passwd', 0))
    except PermissionError: refused += 1
    if refused and os.path.exists('made'): break
    if refused:
        try: open('made', 'w')
        except PermissionError: pass
        break
print(bool(refused), os.path.exists('made'))
'''), prefix=prefix, flags=('--json', record), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = run.process.communicate(timeout=PATIENCE)
    same('True False\n', output.decode())
    same(125, run.process.returncode)
    same(True, b'events.json` could not be written: No space left on device; what could not be recorded was refused' in errors)
    # the temporary files: of the program, and of Writ itself
    run = Run('sh', '-c', 'head -c 10000000 /dev/zero > $TMPDIR/big; echo $?', tmp=disk.folder, prefix=disk.prefix, stdout=subprocess.PIPE,
              stderr=subprocess.PIPE)
    same('1\n', run.process.communicate(timeout=PATIENCE)[0].decode())
    prefix = (*disk.prefix, 'sh', '-c', 'i=0; while mkdir %s/$i 2> /dev/null; do i=$((i + 1)); done; exec "$@"' % disk.folder, 'sh')
    run = Run('true', tmp=disk.folder, prefix=prefix, stderr=subprocess.PIPE)
    errors = run.process.communicate(timeout=PATIENCE)[1].decode()
    same(125, run.process.returncode)
    same('writ: no folder for temporary files could be made in `%s`: errno 28 (no space is left); `TMPDIR` says where they go\n' % disk.folder, errors)
    return None


@trial
def a_jump_of_the_clock_since_boot_changes_nothing():
    prefix = ('unshare', '-T', '--boottime', '10000000', '--monotonic', '10000000', '--')
    if subprocess.call([*prefix, 'true'], stderr=subprocess.DEVNULL):
        return 'no time namespace can be had here'
    run = Run('sh', '-c', 'sleep 0.1; exit 3', prefix=prefix)
    same(3, run.end())
    return None


# What runs the tests in the background may have them ignored, which every program inherits.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(ignored, signal.SIG_DFL)

for test in TRIALS:
    if ONLY and test.__name__ not in ONLY:
        continue
    title = test.__name__.replace('_', ' ')
    try:
        skipped = test()
        print('skip %s: %s' % (title, skipped) if isinstance(skipped, str) else 'ok ' + title, flush=True)
    except Exception:
        print('not ok ' + title, flush=True)
        traceback.print_exc()
