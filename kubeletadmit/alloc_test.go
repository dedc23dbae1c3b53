//go:build !race

// Under the race detector sync.Pool forgets at random, on purpose.

package kubeletadmit_test

import (
	"fmt"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// An answer is a list of failures, a list of evictions and the array of their
// contributions, however many pods are active and go.
func TestAllocatesTheAnswerAlone(t *testing.T) {
	for _, pods := range []int{10, 110, 500, seeded.Sample(1000, 5000)} {
		node, active := fullNode(pods)
		failures := []kubeletadmit.CheckFailure{lacks("cpu", 1000), lacks("memory", 1<<30)}
		some, half, nothing := newCritical(req("cpu", "1", "memory", "1Gi")), half(node), newPod("small", nil)
		ports := newCritical(req("cpu", "1"), withPorts(outrank.Port{HostPort: 80}))
		withPorts(outrank.Port{HostPort: 81})(active[0])
		for _, tt := range []struct {
			name string
			most float64
			call func() (kubeletadmit.Admission, error)
		}{
			{"few have to go", 3, func() (kubeletadmit.Admission, error) {
				return kubeletadmit.Admit(node, active, some, kubeletadmit.Config{})
			}},
			{"half of them have to go", 3, func() (kubeletadmit.Admission, error) {
				return kubeletadmit.Admit(node, active, half, kubeletadmit.Config{})
			}},
			{"with host ports to look at", 3, func() (kubeletadmit.Admission, error) {
				return kubeletadmit.Admit(node, active, ports, kubeletadmit.Config{})
			}},
			{"the failures given", 3, func() (kubeletadmit.Admission, error) {
				return kubeletadmit.Resolve(some, active, failures, kubeletadmit.Config{})
			}},
			{"it fits", 0, func() (kubeletadmit.Admission, error) {
				return kubeletadmit.Admit(node, active, nothing, kubeletadmit.Config{})
			}},
		} {
			t.Run(fmt.Sprintf("pods=%d/%s", pods, tt.name), func(t *testing.T) {
				got := testing.AllocsPerRun(20, func() {
					if adm, err := tt.call(); err != nil || !adm.OK() {
						t.Fatal(adm.Message, err)
					}
				})
				if got > tt.most {
					t.Errorf("%v allocations, want at most %v", got, tt.most)
				}
			})
		}
	}
}
