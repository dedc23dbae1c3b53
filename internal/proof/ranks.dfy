// The model of preemption/ranks.go: which candidate is the best. The theorems hold for every list of ranks
// (Config.Ranks). Left out are the caller's own ranks: one with a Cost or a Figure compares two numbers, as these do.
// What is proven is that the ranks are an order and which way each of them decides, not that the figures
// are the right ones to compare: scoreOf is a definition, to be read beside rules 11.2 to 11.6.

include "candidates.dfy"

// Score has the figures by which candidates are compared.
datatype Score = Score(violations: int, topPriority: int, prioritySum: int, victims: int, start: int)

// best returns the candidate that the ranks prefer, and of equal ones the first in the order of the nodes.
function best(a: Attempt, candidates: seq<Candidate>): Candidate
  requires candidates != []
{
  bestFrom(a, candidates[0], candidates[1..])
}

// bestFrom goes on with the best so far.
function bestFrom(a: Attempt, best: Candidate, others: seq<Candidate>): Candidate
  decreases others
{
  if others == [] then best
  else if compare(a, others[0], best) < 0 then bestFrom(a, others[0], others[1..])
  else bestFrom(a, best, others[1..])
}

// compare orders two candidates, the better first: by the ranks, each of which decides between candidates that tie
// in all ranks before it.
function compare(a: Attempt, c: Candidate, d: Candidate): int { compareBy(a.ranks, scoreOf(a, c), scoreOf(a, d)) }

function compareBy(ranks: seq<Rank>, s: Score, t: Score): int {
  if ranks == [] then 0 else or(compareFigures(ranks[0], s, t), compareBy(ranks[1..], s, t))
}

// compareFigures compares two scores by the figure of one rank. The lower figure is better. Only a start is better
// the later it is.
function compareFigures(r: Rank, s: Score, t: Score): int {
  match r
  case ByViolations => compareInts(s.violations, t.violations)
  case ByTopPriority => compareInts(s.topPriority, t.topPriority)
  case ByPrioritySum => compareInts(s.prioritySum, t.prioritySum)
  case ByVictims => compareInts(s.victims, t.victims)
  case ByStart => compareInts(t.start, s.start)
}

// scoreOf returns the figures of a candidate. The first victim, the most important one, stands for the top priority.
function scoreOf(a: Attempt, c: Candidate): Score {
  if c.victims == [] then Score(0, 0, 0, 0, 0)
  else Score(
    violations(c.victims), c.victims[0].pod.priority, prioritySum(c.victims), |c.victims|, startOfTop(a, c.victims))
}

// violations counts the victims that violate a budget, each once.
function violations(victims: seq<Victim>): int {
  if victims == [] then 0 else (if victims[0].violated == [] then 0 else 1) + violations(victims[1..])
}

// prioritySum adds up the priorities. No term is negative, so that the sum never shrinks when a victim is added.
function prioritySum(victims: seq<Victim>): int {
  if victims == [] then 0 else victims[0].pod.priority + 2147483648 + prioritySum(victims[1..])
}

// startOfTop returns the earliest start among the victims of the highest priority.
function startOfTop(a: Attempt, victims: seq<Victim>): int { earliest(a, victims, highest(victims)) }

function highest(victims: seq<Victim>): int {
  if victims == [] then -2147483648
  else if victims[0].pod.priority > highest(victims[1..]) then victims[0].pod.priority
  else highest(victims[1..])
}

function earliest(a: Attempt, victims: seq<Victim>, priority: int): int {
  if victims == [] then laterThanAny()
  else if victims[0].pod.priority == priority && startOf(a, victims[0].pod) < earliest(a, victims[1..], priority)
  then startOf(a, victims[0].pod)
  else earliest(a, victims[1..], priority)
}

// defaultRanks are the ranks where the configuration names none (DefaultRanks).
function defaultRanks(): seq<Rank> { [ByViolations, ByTopPriority, ByPrioritySum, ByVictims, ByStart] }

// better is the order of candidates with the order of the nodes last.
predicate better(a: Attempt, c: Candidate, d: Candidate) {
  compare(a, c, d) < 0 || (compare(a, c, d) == 0 && c.position < d.position)
}

// Each rank decides in its own direction.
lemma EachRankDecides(s: Score, t: Score)
  ensures compareFigures(ByViolations, s, t) < 0 <==> s.violations < t.violations
  ensures compareFigures(ByTopPriority, s, t) < 0 <==> s.topPriority < t.topPriority
  ensures compareFigures(ByPrioritySum, s, t) < 0 <==> s.prioritySum < t.prioritySum
  ensures compareFigures(ByVictims, s, t) < 0 <==> s.victims < t.victims
  ensures compareFigures(ByStart, s, t) < 0 <==> s.start > t.start
{}

// Each rank decides only what those before it leave open.
lemma TheFirstDifferenceDecides(before: seq<Rank>, r: Rank, behind: seq<Rank>, s: Score, t: Score)
  requires compareBy(before, s, t) == 0 && compareFigures(r, s, t) != 0
  ensures compareBy(before + [r] + behind, s, t) == compareFigures(r, s, t)
{
  var all := before + [r] + behind;
  if before != [] {
    assert all[1..] == before[1..] + [r] + behind;
    TheFirstDifferenceDecides(before[1..], r, behind, s, t);
  } else {
    assert all[0] == r;
  }
}

lemma ComparedBy(ranks: seq<Rank>, s: Score, t: Score, u: Score)
  ensures compareBy(ranks, s, s) == 0
  ensures compareBy(ranks, s, t) == -compareBy(ranks, t, s)
  ensures compareBy(ranks, s, t) <= 0 && compareBy(ranks, t, u) <= 0 ==> compareBy(ranks, s, u) <= 0
  ensures compareBy(ranks, s, t) <= 0 && compareBy(ranks, t, u) < 0 ==> compareBy(ranks, s, u) < 0
  ensures compareBy(ranks, s, t) < 0 && compareBy(ranks, t, u) <= 0 ==> compareBy(ranks, s, u) < 0
{
  if ranks != [] { ComparedBy(ranks[1..], s, t, u); }
}

// Theorem: the ranks with the order of the nodes last are a total order. No candidate is better than itself, of two
// nodes' candidates exactly one is the better, and what is better than a better one is better.
lemma RanksAreATotalOrder(a: Attempt, c: Candidate, d: Candidate, e: Candidate)
  ensures !better(a, c, c)
  ensures !(better(a, c, d) && better(a, d, c))
  ensures c.position != d.position ==> better(a, c, d) || better(a, d, c)
  ensures better(a, c, d) && better(a, d, e) ==> better(a, c, e)
{
  ComparedBy(a.ranks, scoreOf(a, c), scoreOf(a, d), scoreOf(a, e));
  ComparedBy(a.ranks, scoreOf(a, c), scoreOf(a, c), scoreOf(a, c));
}

// isBest says of a candidate that it is better than all others.
predicate isBest(a: Attempt, b: Candidate, candidates: seq<Candidate>) {
  b in candidates && forall c :: c in candidates ==> c == b || better(a, b, c)
}

// Theorem: the best candidate is better than all others, and no other is.
lemma TheBestIsUnique(a: Attempt, candidates: seq<Candidate>, other: Candidate)
  requires candidates != [] && ascending(candidates)
  ensures isBest(a, best(a, candidates), candidates)
  ensures isBest(a, other, candidates) ==> other == best(a, candidates)
{
  BestFrom(a, candidates[0], candidates[1..]);
  assert candidates == [candidates[0]] + candidates[1..];
  RanksAreATotalOrder(a, best(a, candidates), other, other);
}

lemma BestFrom(a: Attempt, first: Candidate, others: seq<Candidate>)
  requires ascending(others) && (others != [] ==> first.position < others[0].position)
  ensures isBest(a, bestFrom(a, first, others), [first] + others)
  decreases others
{
  if others != [] {
    var second, rest := others[0], others[1..];
    var winner := if compare(a, second, first) < 0 then second else first;
    var loser := if compare(a, second, first) < 0 then first else second;
    BestFrom(a, winner, rest);
    var b := bestFrom(a, first, others);
    assert b == bestFrom(a, winner, rest);
    ComparedBy(a.ranks, scoreOf(a, first), scoreOf(a, second), scoreOf(a, first));
    assert better(a, winner, loser);
    assert winner in [winner] + rest;
    RanksAreATotalOrder(a, b, winner, loser);
    forall c | c in [first] + others ensures c == b || better(a, b, c) {
      if c != loser { assert c in [winner] + rest; }
    }
  }
}
