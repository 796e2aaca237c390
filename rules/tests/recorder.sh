#!/bin/sh
# Stands in for the linker: puts the options file itself in the image's place.
set -eu
options=${1#--options-file=}
image=$(sed -n '/^-o$/{n;p;}' "$options")
cp "$options" "$image"
