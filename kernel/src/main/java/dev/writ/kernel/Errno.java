// SPDX-License-Identifier: Apache-2.0
package dev.writ.kernel;

/// Error numbers, which are the same on x86-64 and aarch64.
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int ESRCH = 3;
    public static final int EINTR = 4;
    public static final int ENXIO = 6;
    public static final int E2BIG = 7;
    public static final int ENOEXEC = 8;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EFAULT = 14;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int EMFILE = 24;
    public static final int ENOTTY = 25;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int EDESTADDRREQ = 89;
    public static final int EMSGSIZE = 90;
    public static final int EPROTONOSUPPORT = 93;
    public static final int EOPNOTSUPP = 95;
    public static final int EAFNOSUPPORT = 97;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENOBUFS = 105;
    public static final int ENOTCONN = 107;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;
    public static final int EALREADY = 114;
    public static final int EINPROGRESS = 115;

    /// No program sees this one: at a signal the kernel begins the call again, or says EINTR.
    public static final int ERESTARTSYS = 512;

    private Errno() {}

    /// For messages: the number, and what it means where one often meets it.
    public static String text(int errno) {
        String meaning =
                switch (errno) {
                    case EPERM -> "not permitted";
                    case ENOENT -> "no such file";
                    case ESRCH -> "no such process";
                    case EACCES -> "access denied";
                    case EBUSY -> "busy";
                    case EINVAL -> "invalid argument";
                    case EMFILE -> "too many open files";
                    case E2BIG -> "a word, or all of them together, is too long";
                    case ENOEXEC -> "not a program";
                    case ENOSPC -> "no space is left";
                    case EROFS -> "a read-only file system";
                    case ENOSYS -> "this kernel does not have it";
                    case EOPNOTSUPP -> "switched off";
                    default -> "";
                };
        return "errno " + errno + (meaning.isEmpty() ? "" : " (" + meaning + ")");
    }
}
