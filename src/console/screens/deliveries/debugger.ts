import { parseMoment } from '../../../base/time/zoned-time.ts';
import { debugSignature, type SignatureDiagnosis } from '../../../webhooks/events/debug-signature.ts';
import { Refused } from '../../model/refusals.ts';
import * as ui from '../../render/blocks.ts';
import { catchRefusals } from '../../routing/handlers.ts';
import { accessScopeOf, type MemberVisit, type Reply } from '../../routing/visit.ts';
import { developerTabs, readEndpointChoices } from '../developers/visit.ts';
import { typedTexts } from '../filters.ts';

/** Checks the pasted webhook. Nothing of it is stored. */
export const checkSignature = catchRefusals(async (visit: MemberVisit) => {
  const { endpointId, header, body, at: text } = pastedIn(visit);
  const secret = visit.fields.get('secret') || null;
  const at = arrivalTime(text, visit.scope.clock.now());
  const { inputs } = visit.t.deliveries.debugger;
  if (secret === null && endpointId === '') throw new Refused(inputs.secret);
  if (header === '') throw new Refused(inputs.header);
  if (body === '') throw new Refused(inputs.body);
  if (at === null) throw new Refused(inputs.at);
  const arrived = { header, body, secret, endpointId: secret === null ? endpointId : null, at };
  return showDebugger(visit, undefined, await debugSignature(accessScopeOf(visit), arrived));
}, showDebugger);

/** Shows the form, without the secret. The only endpoint is chosen already. */
export async function showDebugger(visit: MemberVisit, error?: string, diagnosis?: SignatureDiagnosis): Promise<Reply> {
  const endpoints = await readEndpointChoices(visit);
  const only = endpoints.length === 1 ? endpoints[0]?.[0] : undefined;
  const { endpointId, ...input } = pastedIn(visit);
  const linked = visit.query.get('endpointId') ?? only ?? '';
  const chosen = visit.fields.has('endpointId') ? endpointId : linked;
  const list = visit.modePath('/deliveries');
  const { debugger: t, table } = visit.t.deliveries;
  const look = { class: `alert ${diagnosis?.kind === 'genuine' ? 'good' : 'stop'}`, role: 'status' };
  const verdict = diagnosis && sentencesOf(visit, diagnosis).map((sentence) => ui.text(ui.own(sentence)));
  return ui.page(visit.t.developers.tabs.debugger, { error }, [
    developerTabs(visit, 'debugger'),
    ui.lead(t.lead),
    verdict !== undefined && ui.section(t.result, verdict, look),
    ui.form(`${list}/debugger`, { button: t.button }, [
      ui.field('endpointId', table.endpoint, chosen, { options: endpoints, all: t.noEndpoint }),
      ui.fields(t, input, {
        secret: { type: 'password', maxlength: 200, autocomplete: 'off' },
        header: { required: true, maxlength: 1000, ...ui.CODE },
        body: { rows: 10, class: 'code', required: true, ...ui.CODE },
        at: { maxlength: 40, ...ui.CODE },
      }),
    ]),
  ]);
}

/** Returns what was pasted, with all blanks of the body. Browsers send each line break as CRLF. */
function pastedIn({ fields }: MemberVisit) {
  const body = (fields.get('body') ?? '').replaceAll('\r\n', '\n');
  return { ...typedTexts(fields, ['endpointId', 'header', 'at']), body };
}

/** Reads Unix seconds or a time in UTC; the present time for an empty text, null for any other. */
function arrivalTime(text: string, now: Date): Date | null {
  if (text === '') return now;
  return /^\d{1,11}$/.test(text)
    ? new Date(Number(text) * 1_000)
    : parseMoment(text.replace(/(?:\.\d{1,3})?Z?$/, ''), 'UTC');
}

/** Returns the result in sentences. The first says which part is wrong. */
function sentencesOf(visit: MemberVisit, diagnosis: SignatureDiagnosis): string[] {
  const { debugger: t, failing } = visit.t.deliveries;
  if (diagnosis.kind === 'genuine') return [t.genuine];
  if (diagnosis.kind === 'unsignable') return [t.unsignable];
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
  return sentences;
}
