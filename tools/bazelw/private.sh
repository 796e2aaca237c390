#!/usr/bin/env bash
# Runs Bazel on a machine that reaches Debian's packages and a Go module proxy, and nothing else.
#
#   private.sh WORKSPACE VERSION CACHE ARGS...      (bazelw calls this)
#
# Debian sid packages Bazel, but its binary and its rule sets live under fixed paths and need sid's libraries, so they
# get a tree of their own, entered by chroot in a private mount namespace: nothing is installed on the machine, nothing
# stays mounted. What that Bazel misses is made up for:
#   - the central registry: a file registry of local paths (tools/bazelw/registry writes it);
#   - the rule sets that Debian does not package (rules_go, gazelle): modules from the Go module proxy;
#   - Go SDK downloads: the machine's own Go, bound into the tree.
# Package source, proxy and certificates are those that the machine is configured with.
#
# CACHE/tree is the Debian tree, CACHE/state what both sides see under the same path: output base, modules, registry.
set -euo pipefail

workspace=$1 version=$2 cache=$3
shift 3
tree=$cache/tree state=$cache/state log=$cache/install.log
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { echo "bazelw: $*" >&2; }
die() { say "$@"; exit 1; }

# attempt runs a step of the installation quietly; its output is shown only when it fails.
attempt() {
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    say "this step failed: $*"
    tail -n 15 "$log" | sed 's/^/bazelw:   /' >&2
    die "the whole log is $log"
  fi
}

# debian_mirror prints the address of the Debian archive that this machine's apt is configured with.
debian_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    grep -E '/debian/?$' | head -n 1
}

check_machine() {
  local missing=()
  [ "$(id -u)" = 0 ] || missing+=("root (the tree is entered by chroot)")
  command -v apt-get >/dev/null || missing+=("a Debian system (apt-get)")
  command -v go >/dev/null || missing+=("Go on PATH (the SDK that the build uses)")
  unshare --mount true 2>/dev/null || missing+=("the right to make a mount namespace (unshare --mount)")
  if [ ${#missing[@]} -gt 0 ]; then
    say "Bazel's release files cannot be reached from here, and the way through package registries needs:"
    printf 'bazelw:   - %s\n' "${missing[@]}" >&2
    die "install bazelisk on a machine with an open network, or set BAZELW_BAZEL=/path/to/bazel"
  fi
}

in_tree() {
  unshare --mount --propagation private bash -euc '
    tree=$1; shift
    mount -t proc proc "$tree/proc"
    mount --rbind /dev "$tree/dev"
    exec chroot "$tree" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
  ' in_tree "$tree" "$@"
}

install_tree() {
  local mirror
  check_machine
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || die "apt is configured with no Debian archive, so Bazel cannot be installed from one"
  say "installing Debian's Bazel $version in $tree (once: about 3 minutes, 2.5 GB)"
  rm -rf --one-file-system "$tree"
  : >"$log"
  if ! command -v debootstrap >/dev/null; then
    attempt apt-get -qq update
    attempt apt-get -qq install -y --no-install-recommends debootstrap
  fi
  attempt debootstrap --variant=minbase --include=ca-certificates sid "$tree" "$mirror"
  # The lists of a mirror behind a cache can be past their date.
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'Acquire::Check-Date "false";' 'APT::Install-Recommends "false";' \
    'Acquire::Retries "3";' >"$tree/etc/apt/apt.conf.d/00bazelw"
  # The tree can be made anew at any time: no waiting for the disk, no manuals.
  printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' >"$tree/etc/dpkg/dpkg.cfg.d/bazelw"
  cp /etc/resolv.conf "$tree/etc/resolv.conf"
  attempt in_tree apt-get -qq update
  attempt in_tree apt-get -qq install -y bazel-bootstrap bazel-skylib bazel-platforms bazel-features bazel-rules-shell git python3-minimal
  attempt in_tree apt-get clean
  # The machine's own certificates: it may reach the proxy through an authority that Debian does not know.
  if [ -s /etc/ssl/certs/ca-certificates.crt ]; then
    cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/ca-certificates.crt"
  fi
  rm -f "$tree/etc/bazel/bazelrc" # settings for the building of Debian packages
  local got
  got=$(in_tree dpkg-query -W -f '${Version}' bazel-bootstrap)
  case $got in
  "$version"*) ;;
  *) die "Debian sid has Bazel $got by now, and .bazelversion asks for $version" ;;
  esac
  touch "$tree/.complete-$version"
}

# install_registry writes the modules that MODULE.bazel names as a registry of local paths. It is made anew when
# MODULE.bazel or the recipe changes.
install_registry() {
  local stamp
  stamp=$(cat "$workspace/MODULE.bazel" "$here"/private.sh "$here"/registry/*.go | sha256sum | cut -c1-16)
  registry=$state/registry-$stamp
  if [ ! -d "$registry" ]; then
    say "writing the module registry (once per MODULE.bazel)"
    : >"$log"
    rm -rf "$registry.part"
    attempt env -C "$workspace" go run ./tools/bazelw/registry \
      --workspace="$workspace" --tree="$tree" --modules="$state/modules" --out="$registry.part"
    mv "$registry.part" "$registry"
  fi
}

# workspace_overrides replaces the archives that a WORKSPACE, and Bazel's own end of it, would download.
workspace_overrides() {
  local shipped=/usr/share/bazel at
  for at in platforms=tools/platforms bazel_skylib=tools/skylib bazel_features=tools/features rules_cc=rules/cc \
    rules_java=rules/java rules_java_builtin=rules/java rules_license=rules/license rules_proto=rules/proto \
    rules_python=rules/python rules_shell=rules/shell; do
    echo "common:workspace --override_repository=${at%%=*}=$shipped/${at#*=}"
  done
  echo "common:workspace --override_repository=package_metadata=$state/modules/package_metadata"
  for at in io_bazel_rules_go=rules_go bazel_gazelle=gazelle; do
    echo "common:workspace --override_repository=${at%%=*}=$(echo "$state/modules/${at#*=}"-*[0-9])"
  done
}

mkdir -p "$state"
goroot=$(go env GOROOT 2>/dev/null || true)
if [ ! -e "$tree/.complete-$version" ] || [ ! -d "$state/modules" ]; then
  exec 9>"$cache/lock"
  flock 9
fi
[ -e "$tree/.complete-$version" ] || install_tree
install_registry
exec 9>&-

rc=$registry.bazelrc
cat >"$rc.$$" <<EOF
startup --install_base=/usr/share/bazel
startup --trust_install_base
common --registry=file://$registry --lockfile_mode=off --check_direct_dependencies=off --noenable_workspace
$(workspace_overrides)
EOF
mv "$rc.$$" "$rc"

# What a Go module download and a test may need from the caller's environment.
keep=("HOME=/root" "USER=root" "PATH=$goroot/bin:/usr/bin:/bin" "LANG=C.UTF-8" "GOROOT=$goroot")
for name in GOPROXY GONOPROXY GOPRIVATE GOSUMDB GONOSUMDB GOINSECURE; do
  keep+=("$name=$(go env $name)")
done
for name in TERM CI HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
  [ -z "${!name:-}" ] || keep+=("$name=${!name}")
done
case $PWD/ in
"$workspace"/*) cwd=$PWD ;;
*) cwd=$workspace ;;
esac

# A Bazel server outlives this call inside its mount namespace; later calls find it by its paths, which therefore have
# to be the same in each namespace: the tree becomes the root of it (chroot alone would not do).
exec unshare --mount --propagation private bash -euc '
  tree=$1 goroot=$2 cwd=$3
  shift 3
  mount --bind "$tree" "$tree"
  mount -t proc proc "$tree/proc"
  mount --rbind /dev "$tree/dev"
  mount --rbind /tmp "$tree/tmp"
  for dir in "$goroot" "$1" "$2"; do
    mkdir -p "$tree$dir"
    mount --bind "$dir" "$tree$dir"
  done
  shift 2
  cd "$tree"
  pivot_root . mnt
  exec chroot . bash -euc "umount -l /mnt; exec env -i -C \"\$@\"" bazelw "$cwd" "$@"
' bazelw "$tree" "$goroot" "$cwd" "$workspace" "$state" \
  "${keep[@]}" bazel --nosystem_rc --nohome_rc --bazelrc="$rc" --output_user_root="$state/output" "$@"
