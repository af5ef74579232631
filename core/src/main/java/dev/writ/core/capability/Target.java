// SPDX-License-Identifier: Apache-2.0
package dev.writ.core.capability;

/// The parts of the text after `net:`, cut apart but not yet read. Capabilities, actions and
/// secrets share it.
record Target(Part methods, Part scheme, Part host, Part port, Part path, Part query) {
    /// A piece of text and where it stands; absent pieces are empty and have no place.
    record Part(String text, int offset) {
        static final Part ABSENT = new Part("", -1);

        boolean isPresent() {
            return offset >= 0;
        }
    }

    static Target parse(String text, int offset) {
        int equals = text.indexOf('=');
        boolean methods =
                equals >= 0
                        && text.substring(0, equals)
                                .chars()
                                .allMatch(c -> Character.isLetter(c) || c == ',' || c == '-');
        int start = methods ? equals + 1 : 0;
        int colons = text.indexOf("://", start);
        int firstSlash = text.indexOf('/', start);
        boolean hasScheme = colons >= 0 && firstSlash == colons + 1;
        int authority = hasScheme ? colons + 3 : start;
        int end = authority;
        while (end < text.length() && "/?#\\".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        refuse(
                text,
                '#',
                authority,
                offset,
                "a fragment never reaches a server",
                "leave out `#...`");
        refuse(
                text.substring(0, end),
                '@',
                authority,
                offset,
                "a URL with user information is refused",
                "leave out `...@`");
        refuse(text, '\\', authority, offset, "`\\` cannot stand in a URL", "");
        if (!hasScheme && end < text.length()) {
            throw SyntaxException.at(
                    offset + end,
                    "a path needs a scheme",
                    "write it like `https://" + text.substring(authority, end) + "/...`");
        }
        int question = text.indexOf('?', end);
        int pathEnd = question < 0 ? text.length() : question;
        int colon =
                text.startsWith("[", authority)
                        ? text.indexOf("]:", authority) + 1
                        : text.indexOf(':', authority);
        boolean port = colon > authority && colon < end;
        return new Target(
                methods ? new Part(text.substring(0, equals), offset) : Part.ABSENT,
                hasScheme ? new Part(text.substring(start, colons), offset + start) : Part.ABSENT,
                new Part(text.substring(authority, port ? colon : end), offset + authority),
                port ? new Part(text.substring(colon + 1, end), offset + colon + 1) : Part.ABSENT,
                pathEnd > end ? new Part(text.substring(end, pathEnd), offset + end) : Part.ABSENT,
                question < 0
                        ? Part.ABSENT
                        : new Part(text.substring(question + 1), offset + question + 1));
    }

    /// The scheme; a bare host is spoken to in bytes.
    Scheme schemeOrTcp() {
        return scheme.isPresent() ? Scheme.parse(scheme.text(), scheme.offset()) : Scheme.TCP;
    }

    private static void refuse(
            String text, char c, int from, int offset, String message, String hint) {
        int at = text.indexOf(c, from);
        if (at >= 0) {
            throw SyntaxException.at(offset + at, message, hint);
        }
    }

    /// A port as a segment; the usual ones need not be made anew each time.
    static String portWord(int port) {
        return switch (port) {
            case 22 -> "22";
            case 80 -> "80";
            case 443 -> "443";
            case 5432 -> "5432";
            case 8080 -> "8080";
            case 8443 -> "8443";
            default -> Integer.toString(port);
        };
    }

    /// A port number in plain decimal, `least` at least.
    static int parsePort(Part part, int least) {
        String text = part.text();
        boolean plain =
                !text.isEmpty()
                        && text.length() <= 5
                        && text.chars().allMatch(c -> c >= '0' && c <= '9')
                        && (text.length() == 1 || text.charAt(0) != '0');
        int port = plain ? Integer.parseInt(text) : -1;
        if (port < least || port > 65535) {
            throw SyntaxException.at(
                    part.offset(),
                    "port must be between " + least + " and 65535: `" + Text.shown(text) + "`",
                    "");
        }
        return port;
    }
}
