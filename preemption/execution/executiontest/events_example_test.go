package executiontest_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution/executiontest"
)

func ExampleRecorder_Events() {
	var cluster executiontest.Recorder
	cluster.Actions().Event(outrank.Event{Pod: &outrank.Pod{Name: "web"}, Type: "Normal", Reason: "Preempted", Message: "by urgent"})
	fmt.Println(len(cluster.Events()), cluster.Calls())
	// Output:
	// 1 [event Normal Preempted default/web: by urgent]
}
