#!/bin/sh
# Install Chromium where that may be done (Debian, root), and otherwise say what is left out.
for program in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$program" >/dev/null 2>&1 && exit 0
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    { apt-get update && apt-get install -y chromium; } >/dev/null 2>&1 && exit 0
fi
echo "Chromium is not installed: the tests in tests/browser are left out."
