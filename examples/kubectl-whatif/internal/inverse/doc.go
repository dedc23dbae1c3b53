// Package inverse answers how much is enough, or too much: the least priority with which a pod
// runs, the largest pod of a shape that fits, and which nodes can be emptied together.
//
// Every answer is found by search, and says nothing that was not tried on the snapshot: what
// is enough was enough when it was tried, and what lies next to it was not. A search ends after
// a number of tries, which depends on no clock, and its answer says where that ended it.
//
// Questions work on forks of a [question.Scenario] and leave it as it is. The same input has the
// same result.
package inverse
