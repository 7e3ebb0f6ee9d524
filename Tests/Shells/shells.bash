#!/usr/bin/env bash
# Checks the completions of josectl in bash, fish and zsh. The tool and its completions must be
# installed as the Debian package does; `tools/run deb-check` runs this in a root with nothing else.
set -euo pipefail

# Command lines up to the cursor, and the only completion of the last word.
cases=(
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
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch only-one

fail() { echo "$1: '$2' completes to '$4', expected '$3'"; exit 1; }

# bash: the loader of bash-completion finds the script by the name of the command.
set +eu
. /usr/share/bash-completion/bash_completion
_completion_loader josectl
set -eu
[[ $(complete -p josectl) == 'complete -F _josectl josectl' ]]
for case in "${cases[@]}"; do
    line=${case%%|*} expected=${case#*|}
    read -ra COMP_WORDS <<<"$line"
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    _josectl
    [[ ${COMPREPLY[*]} == "$expected" ]] || fail bash "$line" "$expected" "${COMPREPLY[*]}"
done
echo "bash: ${#cases[@]} lines"

# fish: `complete -C` prints completions, with descriptions after a tab.
for case in "${cases[@]}"; do
    line=${case%%|*} expected=${case#*|}
    found=$(fish -c 'complete -C $argv[1]' "$line" | cut -f1)
    [[ $found == "$expected" ]] || fail fish "$line" "$expected" "$found"
done
echo "fish: ${#cases[@]} lines"

# zsh: types the line and a tab on a pseudo-terminal, then a key that prints the edited line.
cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell 'PS1= RPS1= ; unsetopt beep; autoload -U compinit && compinit -u -D; say() { print -r -- "<$BUFFER>" }; zle -N say; bindkey "^X" say; print ready-$((1 + 1))'
zpty -r shell out '*ready-2*'
zpty -w -n shell "$1"$'\t\x18'
zpty -r shell out '*<josectl*>*'
print -r -- ${${out##*<}%%>*}
ZSH
for case in "${cases[@]}"; do
    line=${case%%|*} expected=${case#*|}
    found=$(timeout 3600 zsh -f ask.zsh "$line")
    # A suffix that zsh adds disappears when something else is typed.
    [[ ${found%[ =,]} == *" $expected" ]] || fail zsh "$line" "$expected" "$found"
done
echo "zsh: ${#cases[@]} lines"
