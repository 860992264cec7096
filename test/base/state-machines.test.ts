import { expect } from 'chai';
import { ATTEMPT, DISPUTE, LINK, REFUND, TRANSACTION } from '../../src/payment-links/model/transitions.ts';
import { type StateMachine, stateAfter, statesBefore, transition } from '../../src/platform/base/state-machine.ts';
import { DELIVERY, ENDPOINT, INITIAL_STATUS } from '../../src/webhooks/model/transitions.ts';

/** Returns all moves of a machine by its states, such as `settle: succeeded`. */
function movesOf(machine: StateMachine<string, string>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(machine).map(([from, moves]) => [
      from,
      Object.entries(moves).map(([event, to]) => `${event}: ${to}`),
    ]),
  );
}

// A second hand wrote these lists, so a state machine changes in two places.
describe('the state machines', () => {
  it('a paid link is final, and a link that ended otherwise is paid by late money only', () => {
    expect(movesOf(LINK)).to.deep.equal({
      active: ['update: active', 'pay: paid', 'expire: expired', 'cancel: cancelled'],
      paid: [],
      expired: ['pay_late: paid'],
      cancelled: ['cancel: cancelled', 'pay_late: paid'],
    });
  });

  it('an accepted attempt is final, and one that ended otherwise is accepted by late money only', () => {
    const open = ['wait: requires_action', 'accept: accepted', 'fail: failed', 'cancel: cancelled'];
    const late = ['accept_late: accepted'];
    expect(movesOf(ATTEMPT)).to.deep.equal({
      ...{ open, requires_action: open, accepted: [], failed: late, cancelled: late },
    });
  });

  it('a returned debit is final, and only a refund that fails makes a refunded payment succeeded again', () => {
    expect(movesOf(TRANSACTION)).to.deep.equal({
      pending: ['settle: succeeded', 'return: failed'],
      succeeded: ['refund_fully: refunded', 'refund_partly: succeeded', 'refund_failed: succeeded'],
      failed: [],
      refunded: ['refund_fully: refunded', 'refund_failed: succeeded'],
    });
  });

  it('a failed refund is final, and a succeeded one can still fail', () => {
    const [succeed, fail] = ['succeed: succeeded', 'fail: failed'];
    expect(movesOf(REFUND)).to.deep.equal({ pending: [succeed, fail], succeeded: [fail], failed: [] });
  });

  it('a dispute is closed once', () => {
    expect(movesOf(DISPUTE)).to.deep.equal({ open: ['win: won', 'lose: lost'], won: [], lost: [] });
  });

  it('a delivery that waits succeeds, is retried, exhausted or skipped, and is sent again once it has ended', () => {
    const waiting = ['succeed: delivered', 'fail: retrying', 'exhaust: exhausted', 'skip: skipped'];
    const missed = ['redeliver: pending', 'replay: pending'];
    expect(movesOf(DELIVERY)).to.deep.equal({
      ...{ pending: waiting, retrying: waiting, delivered: ['redeliver: pending'] },
      ...{ exhausted: missed, skipped: missed },
    });
    expect(INITIAL_STATUS).to.deep.equal({ enabled: 'pending', disabled: 'skipped' });
  });

  it('an endpoint is enabled and disabled in any order', () => {
    const both = ['enable: enabled', 'disable: disabled'];
    expect(movesOf(ENDPOINT)).to.deep.equal({ enabled: both, disabled: both });
  });

  it('a transition that a state machine lacks is null, and its states before an event are those that have it', () => {
    expect([transition(REFUND, 'succeeded', 'fail'), transition(REFUND, 'failed', 'fail')]).to.deep.equal([
      'failed',
      null,
    ]);
    expect(statesBefore(REFUND, 'fail')).to.deep.equal(['pending', 'succeeded']);
  });

  it('an event that leads to several states, or to none, has no one state after it', () => {
    expect(stateAfter(LINK, 'cancel')).to.equal('cancelled');
    const machine: StateMachine<'a' | 'b', 'move' | 'rest'> = { a: { move: 'b' }, b: { move: 'a' } };
    expect(() => stateAfter(machine, 'move')).to.throw('move does not lead to one state');
    expect(() => stateAfter(machine, 'rest')).to.throw('rest does not lead to one state');
  });
});
