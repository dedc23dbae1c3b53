package plugin

import (
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/outrank-go/outrank/examples/clientgo/actions"
)

// Memory is the scheduler that a plugin's actions ask, by way of a handle.
func Memory(handle fwk.Handle) actions.Scheduler { return memory{handle} }

// Processes is how many schedulers have plugins that are open.
func Processes() int {
	processes.mu.Lock()
	defer processes.mu.Unlock()
	return len(processes.by)
}
