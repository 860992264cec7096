import { listVisibleEndpoints } from '../../../webhooks/endpoints/service.ts';
import { debugSignature, type SignatureDiagnosis } from '../../../webhooks/events/debug-signature.ts';
import type { DebuggerInputFault } from '../../model/delivery-words.ts';
import * as ui from '../../render/blocks.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { accessScopeOf } from '../../routing/visit.ts';
import { TEXTS } from '../../texts/texts.ts';
import { textsNamed } from '../filters.ts';
import { utcTime } from './visit.ts';

/** The form without the secret, which is never shown again. */
type DebuggerInput = Record<'endpointId' | 'header' | 'body' | 'at', string>;

/** Result in sentences: the first says which part is wrong. */
interface Verdict {
  isGenuine: boolean;
  sentences: readonly string[];
}

export function showDebugger(visit: MemberVisit): Promise<Reply> {
  const endpointId = visit.query.get('endpointId') ?? '';
  return debuggerPage(visit, { endpointId, header: '', body: '', at: '' }, undefined, null);
}

/** Checks the pasted webhook. Nothing of it is stored. */
export async function checkSignature(visit: MemberVisit): Promise<Reply> {
  const { fields, scope, language } = visit;
  const pasted = textsNamed(fields, ['endpointId', 'header', 'body', 'at']);
  // Browsers send each line break as CRLF, however it was pasted.
  const input = { ...pasted, body: pasted.body.replaceAll('\r\n', '\n'), at: pasted.at.trim() };
  const secret = fields.get('secret') || null;
  const at = arrivalTime(input.at, scope.clock.now());
  const fault = inputFault(input, secret, at);
  if (fault !== null || at === null) {
    return debuggerPage(visit, input, TEXTS[language].deliveries.debugger.inputs[fault ?? 'at'], null);
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
  const { member, language } = visit;
  const endpoints = (await listVisibleEndpoints(accessScopeOf(visit), { page: 1, pageSize: 100 })).data;
  const list = modePath(member, modeOf(visit), '/deliveries');
  const { debugger: t, one } = TEXTS[language].deliveries;
  const choices = endpoints.map(({ id, url }) => [id, url] as const);
  const fields = [
    ui.select('endpointId', t.endpoint, input.endpointId, choices, { all: t.noEndpoint }),
    ui.field('secret', t.secret, undefined, {
      attributes: { type: 'password', maxlength: 200, autocomplete: 'off' },
      hint: t.secretHelp,
    }),
    ui.field('header', t.header, input.header, {
      attributes: { required: true, maxlength: 1000, ...ui.CODE },
      hint: t.headerHelp,
    }),
    ui.field('body', t.body, input.body, {
      rows: 10,
      attributes: { class: 'code', required: true, ...ui.CODE },
      hint: t.bodyHelp,
    }),
    ui.field('at', t.at, input.at, { attributes: { maxlength: 40, ...ui.CODE }, hint: t.atHelp }),
  ];
  const shown =
    verdict === null
      ? null
      : ui.section(
          t.result,
          verdict.sentences.map((sentence) => ui.text(ui.own(sentence))),
          { class: `alert ${verdict.isGenuine ? 'good' : 'stop'}`, role: 'status' },
        );
  return ui.page(
    t.title,
    [
      ui.lead(t.lead),
      shown,
      ui.form({ action: `${list}/debugger`, blocks: fields, button: t.button }),
      ui.text(ui.link(list, one.back)),
    ],
    { error },
  );
}

function inputFault(input: DebuggerInput, secret: string | null, at: Date | null): DebuggerInputFault | null {
  if (secret === null && input.endpointId === '') return 'secret';
  if (input.header.trim() === '') return 'header';
  if (input.body === '') return 'body';
  return at === null ? 'at' : null;
}

/** Reads Unix seconds or a time in UTC; the present time for an empty text, null for any other. */
function arrivalTime(text: string, now: Date): Date | null {
  if (text === '') return now;
  return /^\d{1,11}$/.test(text) ? new Date(Number(text) * 1_000) : utcTime(text);
}

function verdictOf({ language }: MemberVisit, diagnosis: SignatureDiagnosis): Verdict {
  const { debugger: t, failing } = TEXTS[language].deliveries;
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
