import type { Scope } from '../../base/scope.ts';
import { type InvitationResult, sendAgain, withdrawInvitation } from '../people/invitations.ts';
import type { PeopleActor } from '../people/users.ts';
import { type MemberVisit, post, practicePath, type Reply, type Route } from '../routing/route.ts';
import { actorOf, notFound } from '../routing/visit.ts';

const ONE = '/console/:practiceId/invitations/:invitationId';

/** Acts on invitations, from the list of people. */
export const ACTS_ON_INVITATIONS: readonly Route[] = [
  post('people.invitation_send', `${ONE}/send`, 'people.manage', (visit) => act(visit, sendAgain, 'invited')),
  post('people.invitation_withdraw', `${ONE}/withdraw`, 'people.manage', (visit) =>
    act(visit, withdrawInvitation, 'withdrawn'),
  ),
];

type Act = (scope: Scope, actor: PeopleActor, practiceId: string, id: string) => Promise<InvitationResult>;

async function act(visit: MemberVisit, run: Act, done: string): Promise<Reply> {
  const { scope, member, params } = visit;
  const result = await run(scope, actorOf(visit), member.practiceId, params.invitationId ?? '');
  if (result.kind === 'refused' && result.reason === 'unknown_member') return notFound();
  const outcome = result.kind === 'done' ? `done=${done}` : `refused=${result.reason}`;
  return { kind: 'redirect', to: practicePath(member, `/people?${outcome}`) };
}
