// Package inverse answers how much is enough, or too much. What is the least priority with which a pod runs?
// What is the largest pod of a shape that fits? Which nodes can be emptied together?
//
// Every answer is found by search, and says only what was tried on the snapshot. A value that is
// enough was tried, and so was the next one, which is not. A search ends after a number of tries, which does
// not depend on a clock, and the answer says whether that ended it.
//
// Questions work on forks of a [question.Scenario], which does not change. The same input has the
// same result.
package inverse
