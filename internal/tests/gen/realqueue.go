package gen

import (
	"fmt"

	"github.com/outrank-go/outrank"
)

// realNominated is the most pods that are nominated in a row.
const realNominated = 500

// realQueueRows are the rows with pods that wait on nodes, and with many budgets.
var realQueueRows = []realRow{
	{"nominated-500", func(w *realWorld) {
		w.nominated(func(q *outrank.Pod, i int) { q.Labels = w.apps[i%len(w.apps)].labels })
	}, realLabelled},
	{"nominated-spread", func(w *realWorld) {
		w.replicas()
		w.nominated(func(q *outrank.Pod, _ int) {
			q.Labels = w.preemptor.Labels
			realOwnApart(q, "nominated")
		})
	}, realOwnApart},
	{"budgets-200", func(w *realWorld) { w.budgets(200) }, realLabelled},
	{"budgets-2000", func(w *realWorld) { w.budgets(2000) }, realLabelled},
}

// nominated adds pods for which others have left: one for every second node, or fewer where that were too many. Three
// of four are as important as the preemptor, so that they count for it. Each is finished by f, which gets its index.
func (w *realWorld) nominated(f func(q *outrank.Pod, i int)) {
	nodes := w.cluster.Nodes
	step := max(2, len(nodes)/realNominated)
	for i := range len(nodes) / step {
		q := &outrank.Pod{
			Name: fmt.Sprintf("nominated-%04d", i), Namespace: w.preemptor.Namespace, UID: fmt.Sprintf("uid-nominated-%04d", i),
			Phase: outrank.PhasePending, NominatedNodeName: nodes[i*step].Name, Priority: outrank.Priority(realAsking),
			Containers: []outrank.Container{{Name: "main", Requests: realSize{1000, 2 << 10}.list()}},
		}
		if i%4 == 3 {
			q.Priority = outrank.Priority(100)
		}
		f(q, i)
		w.cluster.Pods = append(w.cluster.Pods, q)
	}
}
