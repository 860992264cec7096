export class Failure extends Error {
    hint;
    constructor(message, hint = null) {
        super(message);
        this.name = 'Failure';
        this.hint = hint;
    }
}
export class UsageError extends Failure {
    constructor(message, hint = null) {
        super(message, hint);
        this.name = 'UsageError';
    }
}
export function similarName(text, known) {
    const byDistance = known
        .map((name) => ({ name, distance: Math.min(distance(text, name), distance(text, afterDot(name))) }))
        .toSorted((a, b) => a.distance - b.distance);
    const [best] = byDistance;
    return best !== undefined && best.distance <= Math.max(2, text.length / 4) ? best.name : null;
}
function afterDot(name) {
    return name.slice(name.indexOf('.') + 1);
}
function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, index) => index);
    for (const [index, letter] of [...a].entries()) {
        const next = [index + 1];
        for (const [column, other] of [...b].entries()) {
            const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
            next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
        }
        row = next;
    }
    return row.at(-1) ?? 0;
}
