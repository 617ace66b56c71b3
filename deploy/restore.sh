#!/bin/sh
# Restores a backup into the containers' empty volume: deploy/restore.sh BACKUP [LIST]. Overwrites nothing: memstream refuses.
# LIST, of `memstream backup forgotten`: what was forgotten after the backup is forgotten again.
set -eu

usage() { echo "usage: $0 BACKUP [LIST], a folder that deploy/backup.sh made and a file of \`memstream backup forgotten\`" >&2; exit 2; }

[ $# -ge 1 ] && [ $# -le 2 ] && [ -f "$1/manifest.json" ] && { [ $# -eq 1 ] || [ -f "$2" ]; } || usage
list=${2:+$(basename "$2")} beside=${2:+$(cd "$(dirname "$2")" && pwd)}
here=$(cd "$(dirname "$0")" && pwd)

compose() { docker compose --file "$here/compose.yaml" "$@"; }

[ -z "$(compose ps --quiet)" ] || { echo "stop the containers first: docker compose --file $here/compose.yaml down" >&2; exit 1; }
# As a stream: the backup belongs to whoever made it, the volume to memstream's user.
tar -C "$1" -cf - . ${list:+-C "$beside" "$list"} | compose run --rm --no-deps -T --entrypoint sh server -euc '
    umask 077
    folder=/var/lib/memstream/backups/restored
    trap "rm -rf $folder" EXIT
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -C "$folder" --no-same-owner -xf -
    memstream backup restore "$folder" ${1:+--forgotten "$folder/$1"}
' restore "$list"
compose up --detach --wait
