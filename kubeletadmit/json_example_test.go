package kubeletadmit_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// fullOfWeb is a node without room, the pod that takes it, and a static pod that
// asks for a core.
func fullOfWeb() (*outrank.Node, []*outrank.Pod, *outrank.Pod) {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "110")}
	web := &outrank.Pod{Name: "web", Priority: outrank.Priority(0),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1500m")}}}
	proxy := &outrank.Pod{Name: "proxy", Static: true,
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	return node, []*outrank.Pod{web}, proxy
}

func ExampleAdmission_String() {
	node, active, proxy := fullOfWeb()
	fmt.Println(kubeletadmit.Admit(node, active, proxy, kubeletadmit.Config{}))
	proxy.Static = false
	fmt.Println(kubeletadmit.Admit(node, active, proxy, kubeletadmit.Config{}))
	// Output:
	// AdmittedAfterEvicting: default/web (Burstable) <nil>
	// Rejected (OutOfcpu): Insufficient cpu: 1 requested, 1500m of 2 in use <nil>
}

// ADMISSION_JSON.md beside this package says what each field means.
func ExampleAdmission_MarshalJSON() {
	node, active, proxy := fullOfWeb()
	adm, err := kubeletadmit.Admit(node, active, proxy, kubeletadmit.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	if err := enc.Encode(adm); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "apiVersion": "outrank/v1",
	//   "kind": "Admission",
	//   "outcome": "AdmittedAfterEvicting",
	//   "failures": [
	//     {
	//       "resource": "cpu",
	//       "requested": "1",
	//       "used": "1500m",
	//       "capacity": "2",
	//       "shortage": "500m"
	//     }
	//   ],
	//   "returned": [],
	//   "evictions": [
	//     {
	//       "pod": {
	//         "namespace": "default",
	//         "name": "web",
	//         "priority": 0
	//       },
	//       "tier": "Burstable",
	//       "contributions": [
	//         {
	//           "resource": "cpu",
	//           "needed": "500m",
	//           "frees": "1500m",
	//           "left": "0"
	//         }
	//       ],
	//       "distance": 0
	//     }
	//   ]
	// }
}
