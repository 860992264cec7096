import { momentNamed } from '../../../base/time/zoned-time.ts';
import { debugSignature, type SignatureDiagnosis } from '../../../webhooks/events/debug-signature.ts';
import * as ui from '../../render/blocks.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { developerTabs, endpointChoices } from '../developers/visit.ts';
import { textsNamed } from '../filters.ts';

/** The form without the secret, which is never shown again. */
type DebuggerInput = Record<'endpointId' | 'header' | 'body' | 'at', string>;

/** Result in sentences: the first says which part is wrong. */
interface Verdict {
  isGenuine: boolean;
  sentences: readonly string[];
}

/** Shows the form. The only endpoint is chosen already. */
export async function showDebugger(visit: MemberVisit): Promise<Reply> {
  const [[only] = [''], ...others] = await endpointChoices(visit);
  const endpointId = visit.query.get('endpointId') ?? (others.length === 0 ? only : '');
  return debuggerPage(visit, { endpointId, header: '', body: '', at: '' }, undefined, null);
}

/** Checks the pasted webhook. Nothing of it is stored. */
export async function checkSignature(visit: MemberVisit): Promise<Reply> {
  const { fields, scope } = visit;
  const pasted = textsNamed(fields, ['endpointId', 'header', 'body', 'at']);
  // Browsers send each line break as CRLF, however it was pasted.
  const input = { ...pasted, body: pasted.body.replaceAll('\r\n', '\n'), at: pasted.at.trim() };
  const secret = fields.get('secret') || null;
  const at = arrivalTime(input.at, scope.clock.now());
  const fault = inputFault(input, secret, at);
  if (fault !== null || at === null) {
    return debuggerPage(visit, input, visit.t.deliveries.debugger.inputs[fault ?? 'at'], null);
  }
  const arrived = { ...input, secret, endpointId: secret === null ? input.endpointId : null, at };
  return debuggerPage(visit, input, undefined, verdictOf(visit, await debugSignature(accessScopeOf(visit), arrived)));
}

async function debuggerPage(
  visit: MemberVisit,
  input: DebuggerInput,
  error: string | undefined,
  verdict: Verdict | null,
): Promise<Reply> {
  const endpoints = await endpointChoices(visit);
  const list = visit.modePath('/deliveries');
  const { debugger: t, table } = visit.t.deliveries;
  const look = { class: `alert ${verdict?.isGenuine ? 'good' : 'stop'}`, role: 'status' };
  const sentences = (verdict?.sentences ?? []).map((sentence) => ui.text(ui.own(sentence)));
  return ui.page(t.title, { error }, [
    developerTabs(visit, 'debugger'),
    ui.lead(t.lead),
    verdict !== null && ui.section(t.result, sentences, look),
    ui.form(`${list}/debugger`, { button: t.button }, [
      ui.field('endpointId', table.endpoint, input.endpointId, { options: endpoints, all: t.noEndpoint }),
      ui.fields(
        t,
        { ...input, secret: undefined },
        {
          secret: { type: 'password', maxlength: 200, autocomplete: 'off' },
          header: { required: true, maxlength: 1000, ...ui.CODE },
          body: { rows: 10, class: 'code', required: true, ...ui.CODE },
          at: { maxlength: 40, ...ui.CODE },
        },
      ),
    ]),
  ]);
}

function inputFault(input: DebuggerInput, secret: string | null, at: Date | null) {
  if (secret === null && input.endpointId === '') return 'secret';
  if (input.header.trim() === '') return 'header';
  if (input.body === '') return 'body';
  return at === null ? 'at' : null;
}

/** Reads Unix seconds or a time in UTC; the present time for an empty text, null for any other. */
function arrivalTime(text: string, now: Date): Date | null {
  if (text === '') return now;
  return /^\d{1,11}$/.test(text)
    ? new Date(Number(text) * 1_000)
    : momentNamed(text.replace(/(?:\.\d{1,3})?Z?$/, ''), 'UTC');
}

function verdictOf(visit: MemberVisit, diagnosis: SignatureDiagnosis): Verdict {
  const { debugger: t, failing } = visit.t.deliveries;
  if (diagnosis.kind === 'genuine') return { isGenuine: true, sentences: [t.genuine] };
  if (diagnosis.kind === 'unsignable') return { isGenuine: false, sentences: [t.unsignable] };
  const { fault, signer, comparison } = diagnosis;
  const sentences = [];
  switch (fault.reason) {
    case 'malformed_header':
      sentences.push(t.headerFaults[fault.fault]);
      break;
    case 'clock':
      sentences.push(t.clock(Math.abs(fault.lateSeconds), fault.lateSeconds > 0));
      break;
    case 'changed_body':
      sentences.push(t.changed, t.changes[fault.change]);
      break;
    case 'wrong_secret':
      sentences.push(t.secretFaults[fault.fault]);
      break;
    case 'wrong_secret_or_body':
      sentences.push(comparison === null ? t.secretOrBody : t.changed);
  }
  if (signer !== null) {
    sentences.push(t.signer(signer.url, failing.mode[signer.test ? 'test' : 'live'], signer.isFormer));
  }
  if (comparison !== null) sentences.push(t.comparison(comparison));
  return { isGenuine: false, sentences };
}
