#!/bin/sh
# Backs up the running containers: deploy/backup.sh FOLDER [KEEP]. Makes FOLDER/<time>, and keeps the newest KEEP of them there.
set -eu
umask 077

[ $# -ge 1 ] || { echo "usage: $0 FOLDER [KEEP]" >&2; exit 2; }
folder=$1 keep=${2:-14}
here=$(cd "$(dirname "$0")" && pwd)
name=$(date -u +%Y%m%dT%H%M%SZ)
inside=/var/lib/memstream/backups/$name

compose() { docker compose --file "$here/compose.yaml" "$@"; }

mkdir -p "$folder"
compose exec -T server memstream backup create "$inside" --keep 1
rm -rf "$folder/.$name"
compose cp "server:$inside" "$folder/.$name"
mv "$folder/.$name" "$folder/$name"  # only a whole backup has this name
echo "$folder/$name"

# By name, which is the time: the oldest beyond the newest KEEP.
find "$folder" -mindepth 2 -maxdepth 2 -name manifest.json -path "*/[0-9]*T[0-9]*Z/manifest.json" \
    | sort -r | tail -n "+$((keep + 1))" | while IFS= read -r manifest; do
    rm -rf "${manifest%/manifest.json}"
done
