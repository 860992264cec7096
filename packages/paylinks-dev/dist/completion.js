import { argument } from "./commands/command.js";
import { UsageError } from "./failure.js";
const SHELLS = ['bash', 'zsh', 'fish'];
export function completionCommand(program) {
    return {
        name: 'completion',
        summary: 'Prints the completion of a shell.',
        arguments: ['SHELL'],
        argumentValues: SHELLS,
        options: {},
        isLocal: true,
        examples: [
            'completion bash > ~/.local/share/bash-completion/completions/paylinks-dev',
            'completion zsh > ~/.zsh/completions/_paylinks-dev',
            'completion fish > ~/.config/fish/completions/paylinks-dev.fish',
        ],
        notes: [`The shells are ${SHELLS.join(', ')}.`],
        async run(call) {
            const shell = argument(call, 0);
            const script = { bash, zsh, fish }[shell];
            if (script === undefined)
                throw new UsageError('There is no such shell.', `The shells are ${SHELLS.join(', ')}.`);
            call.terminal.write(script(program()));
        },
    };
}
function wordsByPrefix({ commands, optionsOf }) {
    const words = new Map([['', new Set(['--help', '--version'])]]);
    const add = (prefix, all) => {
        words.set(prefix, new Set([...(words.get(prefix) ?? []), ...all]));
    };
    for (const command of commands) {
        const { name, argumentValues = [] } = command;
        const [first = '', second] = name.split(' ');
        add('', [first]);
        if (second !== undefined)
            add(first, [second]);
        add(name, [...argumentValues, ...Object.keys(optionsOf(command)).map((option) => `--${option}`)]);
    }
    return new Map([...words].map(([prefix, all]) => [prefix, [...all]]));
}
function valuesByOption({ commands }) {
    return commands.flatMap(({ name, options }) => Object.entries(options).flatMap(([option, { values }]) => values === undefined ? [] : [[`${name} --${option}`, values]]));
}
function cases(program) {
    const values = valuesByOption(program).map(([key, all]) => `    "${key}") words="${all.join(' ')}" ;;`);
    const words = [...wordsByPrefix(program)]
        .toSorted(([a], [b]) => b.length - a.length)
        .map(([prefix, all]) => `    "${prefix} "*) words="${all.join(' ')}" ;;`);
    return [...values, ...words].join('\n');
}
function bash(program) {
    return `# bash completion of paylinks-dev
_paylinks_dev() {
  local words="" command="" previous="\${COMP_WORDS[COMP_CWORD-1]}" current="\${COMP_WORDS[COMP_CWORD]}"
  (( COMP_CWORD > 1 )) && command="\${COMP_WORDS[1]}"
  case "$command" in ${groups(program)}) (( COMP_CWORD > 2 )) && command="$command \${COMP_WORDS[2]}" ;; esac
  case "$command $previous" in
${cases(program)}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}
complete -o default -F _paylinks_dev paylinks-dev
`;
}
function zsh(program) {
    return `#compdef paylinks-dev
_paylinks_dev() {
  local words_found="" command="" previous="\${words[CURRENT-1]}"
  (( CURRENT > 2 )) && command="\${words[2]}"
  case "$command" in ${groups(program)}) (( CURRENT > 3 )) && command="$command \${words[3]}" ;; esac
  case "$command $previous" in
${cases(program).replaceAll(' words="', ' words_found="')}
  esac
  compadd -- \${=words_found} || _files
}
compdef _paylinks_dev paylinks-dev
`;
}
function groups({ commands }) {
    const names = commands.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : []));
    return [...new Set(names)].join('|');
}
function fish(program) {
    const lines = [...wordsByPrefix(program)].map(([prefix, all]) => {
        const condition = prefix === '' ? '__fish_use_subcommand' : `__paylinks_dev_is ${prefix}`;
        return `complete -c paylinks-dev -f -n '${condition}' -a '${all.join(' ')}'`;
    });
    const values = valuesByOption(program).map(([key, all]) => `complete -c paylinks-dev -f -n '__paylinks_dev_after ${key}' -a '${all.join(' ')}'`);
    return `# fish completion of paylinks-dev
function __paylinks_dev_is
  set -l tokens (commandline -opc)
  test "$tokens[2..(math (count $argv) + 1)]" = "$argv"
end
function __paylinks_dev_after
  set -l tokens (commandline -opc)
  test "$tokens[-1]" = "$argv[-1]"; and __paylinks_dev_is $argv[1..-2]
end
${[...lines, ...values].join('\n')}
`;
}
