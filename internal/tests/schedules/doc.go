// Package schedules answers: whatever goes wrong and whenever, does every preemptor come to its node, or to a
// reason why not, and does every victim leave once? It draws schedules from a seed, runs a scheduler through each
// of them in simulated time, against a plain API server of its own, and judges what was asked of that server.
//
// A [Schedule] is a few nodes and pods, and up to twenty events: pods that come and go, calls that fail, hang,
// come late or twice, watches that lag, repeat themselves or break, schedulers that die or lose the lead. [Draw]
// makes one, [Run] runs it with a scheduler ([Brain]) and returns what broke, and [Explain] shrinks a schedule
// that fails and prints it as a scenario.
//
// The judge knows plain maps and a log. It calls nothing of the library:
//
//   - No process asks for the end of a pod that it has asked for before, by UID, as long as the pod is there; nor
//     of one that it had seen leave when it decided, or that is as important as the preemptor. It may ask again
//     after a call that failed, or of which it does not know whether it was done.
//   - A plan that was reported as carried out asked for the end of each of its victims.
//   - Once everything is quiet, each pod that waits is in the queue of the scheduler that leads, was told why,
//     and neither fits anywhere nor could make room. Where a victim was gone before it was told, the pod may wait
//     for the five minutes after which a queue tries everything anew, as in the reference (rule 14.2.10).
//   - Once everything is quiet, a scheduler has what a fresh list has.
//
// Run works in a bubble of testing/synctest, in which minutes take no time. All delays of a schedule differ, so
// that nothing depends on which of two goroutines runs first.
package schedules
