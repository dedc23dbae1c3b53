#!/usr/bin/env bash
# The steps of the action beside this file, which says what the variables are.
#
#   whatif.sh ask        asks, and writes the answer as text, as a page and as a comment
#   whatif.sh comment    puts the comment on the pull request, in place of an earlier one
#   whatif.sh judge      fails where the status is one to fail for
set -euo pipefail

# The first line of the comment, by which it is found again; jobs have one each.
mark="<!-- kubectl-whatif ${GITHUB_JOB:-} -->"
# A comment on GitHub has 65,536 characters at most.
most=60000

# fetch puts the program of the release into the folder for output. It is called by itself: within a
# substitution or a list, bash would go on after a checksum that is wrong.
fetch() {
  local system machine name from
  case "$(uname -s)" in Linux) system=linux ;; Darwin) system=darwin ;; *) echo "no release for $(uname -s) here; give program" >&2 && return 1 ;; esac
  case "$(uname -m)" in x86_64) machine=amd64 ;; arm64 | aarch64) machine=arm64 ;; *) echo "no release for $(uname -m); give program" >&2 && return 1 ;; esac
  name="kubectl-whatif_${system}_${machine}.tar.gz"
  from="${GITHUB_SERVER_URL:-https://github.com}/outrank-go/outrank/releases/download/$VERSION"
  curl -fsSL --retry 3 -o "$out/$name" "$from/$name"
  curl -fsSL --retry 3 -o "$out/SHA256SUMS" "$from/SHA256SUMS"
  # The archive has to be the one of the release: no line about it is a failure, too.
  (cd "$out" && grep " $name\$" SHA256SUMS | if command -v sha256sum >/dev/null; then sha256sum -c -; else shasum -a 256 -c -; fi) >&2
  tar -xzf "$out/$name" -C "$out" kubectl-whatif
  program="$out/kubectl-whatif"
}

ask() {
  local out program args=() line status=0
  out="$(mktemp -d "${RUNNER_TEMP:-/tmp}/whatif.XXXXXX")"
  program="$PROGRAM"
  if [ -z "$program" ]; then
    fetch
  fi
  if [ -n "$CLUSTER" ]; then args+=("--cluster=$CLUSTER"); else args+=(--live); fi
  while IFS= read -r line; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    [ -z "$line" ] || args+=("--filename=$line")
  done <<<"$MANIFESTS"
  read -r -a line <<<"$ARGUMENTS" || true
  args+=(${line[@]+"${line[@]}"})

  "$program" "${args[@]}" --exit-status --color=never >"$out/answer.txt" 2>"$out/notes.txt" || status=$?
  show "$out/answer.txt" "$out/notes.txt"
  case "$status" in 0 | 3 | 4 | 5) ;; *)
    echo "::error title=kubectl whatif::$(head -n 1 "$out/notes.txt" | oneline)"
    exit "$status"
    ;;
  esac
  "$program" "${args[@]}" --output=html >"$out/whatif.html" 2>/dev/null || rm -f "$out/whatif.html" # no page for that question
  compose >"$out/comment.md"
  cat "$out/comment.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
  {
    echo "status=$status"
    echo "text=$out/answer.txt"
    echo "comment=$out/comment.md"
    [ ! -s "$out/whatif.html" ] || echo "page=$out/whatif.html"
  } >>"$GITHUB_OUTPUT"
}

# show writes texts into the log. What stands there may come from a dump or from manifests of strangers,
# and the runner takes a line for a command that begins with :: or has ##[ in it, whatever ended the
# line before. So each line begins with a bar, a carriage return begins a line, and no ##[ is left.
show() { cat "$@" | tr '\r' '\n' | sed -e 's/##\[/## [/g' -e 's/^/| /'; }

# oneline makes a text the message of a command, as the runner reads it.
oneline() { tr '\r\n' '  ' | sed -e 's/%/%25/g' -e 's/##\[/## [/g'; }

# compose writes the comment. The answer stands in a fence that is longer than any within it.
compose() {
  local fence='```'
  while grep -qF "$fence" "$out/answer.txt" "$out/notes.txt"; do fence+='`'; done
  echo "$mark"
  case "$status" in
    0) echo "### ✅ Everything fits, and nobody has to leave" ;;
    3) echo "### ⚠️ Pods would have to leave" ;;
    4) echo "### ❌ A pod finds no room" ;;
    5) echo "### ❔ It depends on devices, which were not looked at" ;;
  esac
  printf '\n%s\n' "$fence"
  head -c "$most" "$out/answer.txt"
  if [ "$(wc -c <"$out/answer.txt")" -gt "$most" ]; then
    printf '\n...\n%s\nThe rest is in the log of the job.\n' "$fence"
  else
    printf '%s\n' "$fence"
  fi
  if [ -s "$out/notes.txt" ]; then
    printf '\n<details><summary>Notes</summary>\n\n%s\n%s\n%s\n\n</details>\n' "$fence" "$(head -c 4000 "$out/notes.txt")" "$fence"
  fi
}

comment() {
  local comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" id
  [ -z "$PAGE" ] || printf '\n[The same as a page](%s), before and after.\n' "$PAGE" >>"$COMMENT"
  id="$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)"
  if [ -n "$id" ]; then
    gh api --silent -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F "body=@$COMMENT"
  else
    gh api --silent -X POST "$comments" -F "body=@$COMMENT"
  fi
}

judge() {
  case "$FAIL" in
    never) return ;;
    stays) [ "$STATUS" -lt 4 ] || exit 1 ;;
    evicts) [ "$STATUS" -lt 3 ] || exit 1 ;;
    *) echo "::error::fail: $(oneline <<<"$FAIL")is none of evicts, stays and never" && exit 2 ;;
  esac
}

case "${1:-}" in
  ask | comment | judge) "$1" ;;
  *) echo "usage: whatif.sh ask|comment|judge" >&2 && exit 2 ;;
esac
