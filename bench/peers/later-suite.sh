#!/bin/bash
# later-suite.sh DIR PACKAGE: unpacks Debian's package of a later suite with what it needs below DIR/root, from the mirror
# that this system already uses; no root needed. SUITE: another suite than forky.
set -euo pipefail
mkdir -p "$1"
D=$(cd "$1" && pwd); SUITE=${SUITE:-forky}
mkdir -p "$D"/apt/{lists/partial,archives/partial} "$D/root"; : > "$D/apt/status"
mirror=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" | grep -m1 '/debian/\?$'); mirror=${mirror%/}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $SUITE main" > "$D/apt/sources.list"
options=(-o "Dir::Etc::sourcelist=$D/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null
  -o "Dir::State::lists=$D/apt/lists" -o "Dir::State::status=$D/apt/status" -o "Dir::Cache::archives=$D/apt/archives"
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Install-Recommends=false -o Debug::NoLocking=1
  -o Acquire::Languages=none)
[ "$(id -u)" = 0 ] && options+=(-o APT::Sandbox::User=root)
apt-get "${options[@]}" -qq update
apt-get "${options[@]}" -qq -y --download-only install "$2"
for deb in "$D"/apt/archives/*.deb; do dpkg -x "$deb" "$D/root"; done
rm -rf "$D/apt/lists"
