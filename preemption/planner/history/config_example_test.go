package history_test

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption/planner/history"
)

func ExampleNew_refused() {
	_, err := history.New(history.Config{MaxChain: -1})
	fmt.Println(err)
	// Output:
	// history config: MaxChain: -1 is negative
}
