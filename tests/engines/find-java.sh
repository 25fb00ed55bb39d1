#!/bin/sh
# Install Java where that may be done (Debian, root), and otherwise say what is left out.
[ -n "$JAVA_HOME" ] && [ -x "$JAVA_HOME/bin/java" ] && exit 0
command -v java >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    { apt-get update && apt-get install -y openjdk-17-jre-headless; } >/dev/null 2>&1 && exit 0
fi
echo "Java is not installed: the tests of the Spark engine are left out."
