#!/bin/sh
# Restores a backup into the containers' empty volume: deploy/restore.sh BACKUP. Overwrites nothing: memstream refuses.
set -eu

[ $# -eq 1 ] && [ -f "$1/manifest.json" ] || { echo "usage: $0 BACKUP, a folder that deploy/backup.sh made" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)

compose() { docker compose --file "$here/compose.yaml" "$@"; }

[ -z "$(compose ps --quiet)" ] || { echo "stop the containers first: docker compose --file $here/compose.yaml down" >&2; exit 1; }
# As a stream: the backup belongs to whoever made it, the volume to memstream's user.
tar -C "$1" -cf - . | compose run --rm --no-deps -T --entrypoint sh server -euc '
    umask 077
    folder=/var/lib/memstream/backups/restored
    trap "rm -rf $folder" EXIT
    rm -rf "$folder"
    mkdir -p "$folder"
    tar -C "$folder" --no-same-owner -xf -
    memstream backup restore "$folder"
'
compose up --detach --wait
