#!/usr/bin/env bash
# Packs what a release needs to run, with the packages of this checkout, into test/upgrade: `test/upgrade/pack-release.sh v0.1.0`.
# The tests of upgrades run it beside this release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tag=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git archive "$tag" | tar -x -C "$folder"
ln -s "$PWD/node_modules" "$folder/node_modules"
(cd "$folder" && node_modules/.bin/tsc -p .tsconfig.build.json --sourceMap false --declarationMap false --removeComments)
rm -rf "$folder"/dist/apps/demo "$folder"/dist/test
(
  cd "$folder"
  find package.json dist -type f -name '*.js*' ! -name '*.tsbuildinfo' -print0 |
    tar --null -T - --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c
) | gzip -9n >"test/upgrade/postern-${tag#v}.tar.gz"
ls -l test/upgrade/*.tar.gz
