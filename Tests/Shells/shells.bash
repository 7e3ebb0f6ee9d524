#!/usr/bin/env bash
# What shells offer for command lines of josectl, each asked in its own way. The tool and its completions are installed, as
# the Debian package installs them; `tools/run deb-check` runs this in a root with nothing else.
set -euo pipefail

# Lines that a person types, and what they become or are offered.
asked=(
    'josectl keys th|thumbprint'
    'josectl keys new --us|--use'
    'josectl keys new --use s|sig'
    'josectl keys new --alg RSA-OAEP-2|RSA-OAEP-256'
    'josectl verify --alg RS256,PS5|RS256,PS512'
    'josectl verify --form js|json'
    'josectl chain verify --purpose e|encryption'
    'josectl man sel|selftest'
    'josectl man keys exp|export'
    'josectl completion fi|fish'
    'josectl sign --key only-o|only-one'
    'josectl explain --profile itsme2|itsme2'
)
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
touch only-one

fail() { echo "$1: '$2' gives '$4' and not '$3'"; exit 1; }

# bash: the loader of bash-completion finds the file by the command's name.
set +eu
. /usr/share/bash-completion/bash_completion
_completion_loader josectl
set -eu
[[ $(complete -p josectl) == 'complete -F _josectl josectl' ]]
for row in "${asked[@]}"; do
    line=${row%%|*} wanted=${row#*|}
    read -ra COMP_WORDS <<<"$line"
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    _josectl
    [[ ${COMPREPLY[*]} == "$wanted" ]] || fail bash "$line" "$wanted" "${COMPREPLY[*]}"
done
echo "bash: ${#asked[@]} lines"

# fish: it says itself what it would offer, a description behind a tab.
for row in "${asked[@]}"; do
    line=${row%%|*} wanted=${row#*|}
    offered=$(fish -c 'complete -C $argv[1]' "$line" | cut -f1)
    [[ $offered == "$wanted" ]] || fail fish "$line" "$wanted" "$offered"
done
echo "fish: ${#asked[@]} lines"

# zsh: on a terminal, with the key that completes. What it made of the line, it is asked to say by another.
cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell 'PS1= RPS1= ; unsetopt beep; autoload -U compinit && compinit -u -D; say() { print -r -- "<$BUFFER>" }; zle -N say; bindkey "^X" say; print ready-$((1 + 1))'
zpty -r shell out '*ready-2*'
zpty -w -n shell "$1"$'\t\x18'
zpty -r shell out '*<josectl*>*'
print -r -- ${${out##*<}%%>*}
ZSH
for row in "${asked[@]}"; do
    line=${row%%|*} wanted=${row#*|}
    found=$(timeout 3600 zsh -f ask.zsh "$line")
    # What it adds to go on with goes again when something else is typed.
    [[ ${found%[ =,]} == *" $wanted" ]] || fail zsh "$line" "$wanted" "$found"
done
echo "zsh: ${#asked[@]} lines"
