// Package documents answers: does the library still decide as the five texts say from which the project began? Its
// tests are ports of the algorithms in these texts, written for reading, and hold the library to them over cases
// drawn from a seed:
//
//	text                                        port             judged
//	the kubelet's preemption                    kubelet_test.go  kubeletadmit.Resolve
//	the scheduler of v1.13: preemption          v113_test.go     the variant v1.13
//	the scheduler of v1.13: queue, nominations  queue_test.go    the queue of v1.13, execution.Nominator
//	preemption in short                         short_test.go    the variant simplified
//	the scheduler of today: preemption          today_test.go    the zero variant
//
// The fifth text is about priority classes, which have no algorithm to port. A plain run looks at a few hundred
// cases, `.ci/run documents` at 20,000 of each; the flags -cases and -seed choose others. A difference prints the
// number of its case, and -only shows that case alone.
package documents
