#!/usr/bin/env bash
# Makes a bare Debian 12 ready to build: Debian packages, then the Python environment in build/venv.
# Does nothing, quickly, when all of it stands already.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup: need root or sudo to run: $*" >&2
    exit 1
  fi
}

install_packages() {
  local wanted missing=() package
  mapfile -t wanted < <(grep -v '^#' "$root/scripts/apt-packages.txt")
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" { print $1 }')
  for package in "${wanted[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "setup: installing ${missing[*]}" >&2
  local options=(-y --no-install-recommends -o Acquire::Retries=3)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -o Acquire::Retries=3 >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "${missing[@]}" >&2
}

make_venv() {
  local venv=$root/build/venv requirements=$root/scripts/requirements.txt
  local stamp=$venv/requirements.stamp
  if [ -f "$stamp" ] && cmp -s "$stamp" "$requirements" && "$venv/bin/python" -c '' 2>/dev/null; then
    return
  fi
  echo "setup: Python environment in build/venv" >&2
  # A virtual environment does not survive being moved or its interpreter being replaced.
  "$venv/bin/python" -m pip --version >/dev/null 2>&1 || rm -rf "$venv"
  if [ ! -d "$venv" ]; then
    local python=python3
    [ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null && python=/usr/bin/python3
    "$python" -m venv "$venv"
  fi
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 5 -r "$requirements" >&2
  cp "$requirements" "$stamp"
}

install_packages
make_venv
