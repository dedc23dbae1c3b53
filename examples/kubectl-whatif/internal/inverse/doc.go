// Package inverse answers how much is enough, or too much. What is the least priority with which a pod
// runs? What is the largest pod of a shape that fits? Which nodes can be emptied together?
//
// Every answer is found by search, and says nothing that was not tried on the snapshot. A value that is
// enough was tried, and so was the next one, which is not. A search ends after a number of tries, which
// depends on no clock, and its answer says if that ended it.
//
// Questions work on forks of a [question.Scenario] and leave it as it is. The same input has the
// same result.
package inverse
