package history_test

import (
	"fmt"

	"github.com/outrank-go/outrank/preemption/history"
)

func ExampleConfig_Validate() {
	config := history.Config{MaxChain: -1}
	fmt.Println(config.Validate())
	// Output:
	// history config: MaxChain: -1 is negative
}
