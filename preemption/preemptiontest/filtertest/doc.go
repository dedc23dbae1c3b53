// Package filtertest answers: does a filter of your own keep the contract of [preemption.Filter]? A filter that
// does not leads to decisions that nothing explains: victims that need not leave, or two answers to one
// question.
//
// Experimental: v1.0 does not freeze this package (RELEASES, "What stays").
//
//	func TestGPUFilter(t *testing.T) {
//		if err := filtertest.Check(newGPUFilter(), filtertest.Options{}); err != nil {
//			t.Error(err)
//		}
//	}
//
// [Check] puts the filter into generated clusters (see package preemption/preemptiontest/clustergen), the
// smallest with one node and one pod, and calls it as a decision does and in other ways that the contract
// allows. Each rule that the filter breaks is reported once, with the calls that show it and with the seed of
// the cluster. Generated pods and nodes lack the things that a particular filter looks at, such as a label;
// [Options.Prepare] adds them. A filter that never turns a pod away has not been tested, so this is reported as
// well.
//
// [Warnings] lists reasons why decisions with a filter are slow, such as that it does not say
// which pods concern it.
//
// The package needs no test framework and has no dependency beyond the module. It finds memory that attempts
// share if their answers change; run the test with the race detector to find the rest.
package filtertest
