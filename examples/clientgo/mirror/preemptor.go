package mirror

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank"
)

// Preemptor converts a pod that is looking for a node, with the volumes behind its claims. It does not add the
// pod to the mirror.
func (m *Mirror) Preemptor(p *corev1.Pod) (*outrank.Pod, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.convert(p)
}
