package resource_test

import (
	"fmt"

	"github.com/outrank-go/outrank/resource"
)

func ExampleQuantity_Sign() {
	for _, text := range []string{"-1", "0", "100m"} {
		q := resource.MustParse(text)
		fmt.Println(q, q.Sign(), q.IsZero())
	}
	// Output:
	// -1 -1 false
	// 0 0 true
	// 100m 1 false
}

// A list is a map: take a copy before changing it.
func ExampleList_Clone() {
	requests := resource.MustList("cpu", "1")
	more := requests.Clone()
	more["memory"] = resource.MustParse("1Gi")
	fmt.Println(requests)
	fmt.Println(more)
	// Output:
	// cpu: 1
	// cpu: 1, memory: 1Gi
}
