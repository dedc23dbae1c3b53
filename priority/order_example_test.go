package priority_test

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

func ExampleCompareIdentity() {
	pods := []*outrank.Pod{{Name: "web", UID: "2"}, {Name: "db"}, {Name: "web", UID: "1"}, {Name: "web", Namespace: "a"}}
	slices.SortFunc(pods, priority.CompareIdentity)
	for _, p := range pods {
		fmt.Printf("%s %q\n", p.Key(), p.UID)
	}
	// Output:
	// a/web ""
	// default/db ""
	// default/web "1"
	// default/web "2"
}
