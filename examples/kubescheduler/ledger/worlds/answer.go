package worlds

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/quota"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/qos"
)

// Answers is what the library says about a world.
type Answers struct {
	// Text has every answer on a line of its own, after what was asked.
	Text string
	// Warnings are those of the dump and of the plans.
	Warnings []outrank.Problem
	// Refused is the error of reading the dump. There are no answers then.
	Refused error
}

// now is the time of the questions.
var now = time.Date(2026, 1, 10, 13, 0, 0, 0, time.UTC)

// Read is a world as the library reads it. No answer depends on anything else.
type Read struct {
	Cluster *outrank.Cluster
	Quotas  []*quota.Quota
	// Devices are nil in a world without them.
	Devices *devices.Objects
}

// Read reads the world.
func (w *World) Read() (*Read, error) {
	text, err := w.text()
	if err != nil {
		return nil, err
	}
	c, err := kube.ReadCluster(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c.Release = w.Release
	quotas, err := quota.Read(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	read := &Read{Cluster: c, Quotas: quotas}
	if w.hasDevices() {
		o, err := devices.Read(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		read.Devices = &o
	}
	return read, nil
}

// Ask asks everything about a world.
func (r *Read) Ask() *Answers {
	c := r.Cluster
	a := &asker{ctx: context.Background(), cluster: c, answers: &Answers{Warnings: c.Warnings()}}
	var err error
	if a.snap, err = engine.NewSnapshot(c); err != nil {
		return &Answers{Refused: err}
	}
	a.aboutPods()
	a.aboutNodes()
	a.aboutGroups()
	a.aboutQueue()
	a.aboutBudgets()
	a.aboutClasses()
	a.aboutQuotas(r.Quotas)
	a.aboutDevices(r.Devices)
	a.answers.Text = a.text.String()
	return a.answers
}

// asker asks one question after the other.
type asker struct {
	ctx     context.Context
	cluster *outrank.Cluster
	snap    *engine.Snapshot
	text    strings.Builder
	answers *Answers
}

// says writes an answer. An error is an answer, too.
func (a *asker) says(question string, answer any, err error) {
	if err != nil {
		fmt.Fprintf(&a.text, "%s: error: %v\n", question, err)
		return
	}
	fmt.Fprintf(&a.text, "%s: %s\n", question, mustJSON(answer))
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(text)
}

// aboutPods asks who has to leave for each pod that waits, and which nodes are best if nobody has to.
func (a *asker) aboutPods() {
	var eval engine.Evaluator
	var scorer score.Scorer
	for _, p := range a.cluster.Pods {
		a.says("class of "+p.Name, qos.Of(a.cluster.Release, p), nil)
		if p.NodeName != "" && !p.ResizeDeferred {
			continue
		}

		plan, err := eval.Explain(a.ctx, a.snap, preemption.Request{Pod: p, Now: now})
		if err == nil {
			a.answers.Warnings = append(a.answers.Warnings, plan.Warnings...)
			plan.Warnings = nil
		}
		a.says("plan for "+p.Name, plan, err)
		if ranking, err := scorer.Rank(a.ctx, &eval, a.snap, p); err != nil {
			a.says("scores for "+p.Name, nil, err)
		} else {
			a.says("scores for "+p.Name, ranking.Totals, nil)
		}
	}
}

// aboutNodes asks the kubelet of each node to admit each pod that waits, and in which order it evicts its pods.
func (a *asker) aboutNodes() {
	usage := func(p *outrank.Pod) (kubeletadmit.Usage, bool) {
		return kubeletadmit.Usage{Memory: 1 << 30, Disk: 1 << 20, Inodes: 10, Processes: 5}, true
	}
	for _, n := range a.cluster.Nodes {
		var active []*outrank.Pod
		for _, p := range a.cluster.Pods {
			if p.NodeName == n.Name {
				active = append(active, p)
			}
		}

		for _, p := range a.cluster.Pods {
			if p.NodeName == "" {
				adm, err := kubeletadmit.Admit(n, active, p, kubeletadmit.Config{Release: a.cluster.Release})
				a.says(n.Name+" admits "+p.Name, adm, err)
			}
		}
		for _, pressure := range []kubeletadmit.Pressure{kubeletadmit.MemoryPressure, kubeletadmit.DiskPressure, kubeletadmit.PIDPressure} {
			ranked, err := kubeletadmit.RankForEviction(active, pressure, usage)
			var names []string
			for _, r := range ranked {
				names = append(names, r.Pod.Name)
			}
			a.says(fmt.Sprintf("%s under %v", n.Name, pressure), names, err)
		}
	}
	release, err := a.cluster.ReleaseOfNodes()
	a.says("release of the nodes", release, err)
}

// aboutGroups asks who has to leave for the pods of each group that wait.
func (a *asker) aboutGroups() {
	var eval engine.Evaluator
	waiting := map[outrank.Key][]*outrank.Pod{}
	var keys []outrank.Key
	for _, p := range a.cluster.Pods {
		if key := p.GroupKey(); key != "" && p.NodeName == "" {
			if waiting[key] == nil {
				keys = append(keys, key)
			}
			waiting[key] = append(waiting[key], p)
		}
	}
	for _, key := range keys {
		plan, err := eval.PreemptGroup(a.ctx, a.snap, preemption.GroupRequest{Pods: waiting[key], Now: now})
		a.says("plan for the group "+string(key), plan, err)
	}
}

// aboutQueue asks in which order the pods that wait are tried, and which are not.
func (a *asker) aboutQueue() {
	q, err := queue.New(queue.Config{Release: a.cluster.Release})
	if err != nil {
		a.says("queue", nil, err)
		return
	}
	for _, g := range a.cluster.Composites {
		q.PutComposite(g)
	}
	for _, g := range a.cluster.Groups {
		q.PutGroup(g)
	}
	for _, p := range a.cluster.Pods {
		if p.NodeName == "" {
			a.says("queue takes "+p.Name, nil, q.Add(p, now))
		}
	}

	a.says("queue holds", q.Counts(), nil)
	for {
		e, ok := q.TryPop(now)
		if !ok {
			break
		}
		if e.Pod != nil {
			a.says("next", e.Pod.Name, nil)
		} else {
			a.says("next group", len(e.Group.Members), nil)
		}
	}
}

// aboutBudgets asks what each budget allows by its spec.
func (a *asker) aboutBudgets() {
	filled, err := pdb.Fill(pdb.FillInput{Cluster: a.cluster, Now: now})
	a.says("statuses", nil, err)
	for _, b := range filled {
		a.says("status of "+b.Name, []int32{b.DisruptionsAllowed, b.CurrentHealthy, b.DesiredHealthy}, nil)
	}
}

// aboutClasses asks which priorities pods get that have none.
func (a *asker) aboutClasses() {
	table, err := priority.NewTable(a.cluster.Classes)
	if err != nil {
		a.says("classes", nil, err)
		return
	}
	for _, p := range a.cluster.Pods {
		if p.Priority == nil {
			given, err := table.Resolve(p)
			a.says("priority of "+p.Name, given, err)
		}
	}
	for _, g := range a.cluster.Groups {
		if g.Priority == nil {
			given, err := table.ResolveGroup(a.cluster.Release, g)
			a.says("priority of the group "+g.Name, given, err)
		}
	}
	for _, g := range a.cluster.Composites {
		if g.Priority == nil {
			given, err := table.ResolveComposite(a.cluster.Release, g)
			a.says("priority of the composite group "+g.Name, given, err)
		}
	}
}

// aboutQuotas asks whether each pod that waits can be created.
func (a *asker) aboutQuotas(quotas []*quota.Quota) {
	if len(quotas) == 0 {
		return
	}
	for _, p := range a.cluster.Pods {
		if p.NodeName != "" {
			continue
		}
		var admission quota.Admission
		verdict, err := admission.Admit(quotas, quota.Pod{Pod: p})
		if err == nil {
			verdict.Pod = nil
		}
		a.says("quotas let in "+p.Name, verdict, err)
	}
}
