#!/bin/bash
# valkey.sh DIR: prints the path of a program that runs Valkey: the installed one, else that of a later suite, unpacked
# below DIR.
set -euo pipefail
command -v valkey-server && exit 0
mkdir -p "$1"; D=$(cd "$1" && pwd)
[ -x "$D/valkey-server" ] || {
  bash "$(dirname "$0")/later-suite.sh" "$D" valkey-server >&2
  U=$D/root/usr/lib/x86_64-linux-gnu
  # One program with several names: by this one it is the server.
  printf '#!/bin/sh\nexec "%s" --library-path "%s:%s/root/usr/lib" "%s" "$@"\n' "$U/ld-linux-x86-64.so.2" "$U" "$D" "$D/root/usr/bin/valkey-server" > "$D/valkey-server"
  chmod +x "$D/valkey-server"
}
"$D/valkey-server" --version > /dev/null
echo "$D/valkey-server"
