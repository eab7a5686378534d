#!/usr/bin/env bash
# zensical 0.0.73: the pages of a site ask fonts.googleapis.com, unless the theme says `font: false`.
#
# Guess: a site that names no font is made of its own files.
# Seen: each page links a style sheet of fonts.googleapis.com. With `font: false` none does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check zensical==0.0.73
mkdir "$folder/docs"
echo "# A page" > "$folder/docs/index.md"
cd "$folder"
for theme in "{name: material}" "{name: material, font: false}"; do
    printf 'site_name: Site\ntheme: %s\n' "$theme" > mkdocs.yml
    rm -rf site
    venv/bin/zensical build > /dev/null
    found=$(grep -c fonts.googleapis.com site/index.html || true)
    echo "zensical==0.0.73, theme $theme: $found lines with fonts.googleapis.com"
    [ "$((found > 0))" = "$([[ $theme == *font* ]] && echo 0 || echo 1)" ]
done
