#!/usr/bin/env bash
# Builds the image with Podman and runs it with SQLite as compose.yaml would: without privileges, and nothing can be written but /tmp and the volume.
# It needs root, podman with runc, and an image of Node.js:
#
#   test/deploy/try-image.sh docker.io/library/node:24.21.0-bookworm-slim
#
# Where no registry of images is at hand, name the folder of a Node.js with npm: debootstrap then makes Debian's smallest system around it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
base=${1:?Name an image of Node.js, or a folder with a Node.js}
scratch=$(mktemp -d)
name=postern-trial-$$
image=localhost/$name
secret=$(head -c 32 /dev/urandom | base64)
# An engine in a container of its own may not raise limits, nor use systemd for its timers.
limits=(--ulimit nofile=4096:4096 --ulimit nproc=1024:1024 --health-interval=disable)
run() { podman --runtime runc "$@"; }

finish() {
  run rm --force --ignore "$name" >/dev/null 2>&1 || true
  run volume rm --force "$name" >/dev/null 2>&1 || true
  run rmi --force "$image" >/dev/null 2>&1 || true
  [[ ! -d $scratch/base ]] || run rmi --force "$image-base" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT

fails() { echo "FAILED: $1" >&2; run logs "$name" >&2 || true; exit 1; }

make_base() {
  debootstrap --variant=minbase bookworm "$scratch/base" >/dev/null
  mkdir -p "$scratch/base/usr/local/lib/node_modules"
  cp -L "$1/bin/node" "$scratch/base/usr/local/bin/node"
  cp -a "$1/lib/node_modules/npm" "$scratch/base/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$scratch/base/usr/local/bin/npm"
  if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then install -D "$NODE_EXTRA_CA_CERTS" "$scratch/base/$NODE_EXTRA_CA_CERTS"; fi
  chroot "$scratch/base" /usr/sbin/useradd --create-home --uid 1000 node
  tar -C "$scratch/base" -c . | run import --quiet - "$image-base" >/dev/null
}

if [[ -d $base ]]; then
  make_base "$base"
  base=$image-base
fi
# Only Docker's format of images has health checks.
run build --format docker --network host --isolation chroot ${NODE_EXTRA_CA_CERTS:+--env NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"} \
  --build-arg BASE="$base" --tag "$image" . >"$scratch/build.log" 2>&1 || { cat "$scratch/build.log"; exit 1; }
run image inspect "$image" --format 'The image has {{.Size}} bytes; its user is {{.User}}, its command {{.Config.Cmd}}'

run run --detach --name "$name" "${limits[@]}" --network none --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges \
  --volume "$name:/var/lib/postern" --env POSTERN_SECRET="$secret" "$image" >/dev/null
for _ in {1..60}; do
  if run healthcheck run "$name" >/dev/null 2>&1; then break; fi
  sleep 0.5
done
run healthcheck run "$name" || fails 'the health check'
run exec "$name" postern workspace create trial || fails 'a command beside the gateway'
[[ $(run exec "$name" id -u) == 1000 ]] || fails 'the user'
! run exec "$name" touch /srv/postern/written 2>/dev/null || fails 'the file system can be written'
run stop "$name" >/dev/null
[[ $(run inspect "$name" --format '{{.State.ExitCode}}') == 0 ]] || fails 'the end by SIGTERM'
echo 'It started, was healthy, ran a command, and ended with status 0.'
