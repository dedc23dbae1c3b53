package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// log is an audit log that grows by a second a line.
type log struct {
	t    *testing.T
	file string
	at   time.Time
}

func newLog(t *testing.T) (*log, *Judge) {
	file := filepath.Join(t.TempDir(), "audit.log")
	l := &log{t: t, file: file, at: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)}
	l.write("")
	return l, NewJudge(file, "scheduler", "trial")
}

func (l *log) write(text string) {
	l.t.Helper()
	f, err := os.OpenFile(l.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(l.t, err)
	defer f.Close()
	_, err = f.WriteString(text)
	require.NoError(l.t, err)
}

// request writes a line; about has further fields of it.
func (l *log) request(user, verb, resource, sub, namespace, name string, code int, about object) {
	l.t.Helper()
	l.at = l.at.Add(time.Second)
	e := object{
		"kind": "Event", "stage": "ResponseComplete", "verb": verb, "user": object{"username": user},
		"objectRef":      object{"resource": resource, "subresource": sub, "namespace": namespace, "name": name},
		"responseStatus": object{"code": code}, "stageTimestamp": l.at.Format("2006-01-02T15:04:05.000000Z07:00"),
	}
	for k, v := range about {
		e[k] = v
	}
	text, err := json.Marshal(e)
	require.NoError(l.t, err)
	l.write(string(text) + "\n")
}

// evict deletes a pod of an app, as a scheduler does.
func (l *log) evict(namespace, name, uid, app string, code int) {
	l.t.Helper()
	l.request("scheduler", "delete", "pods", "", namespace, name, code,
		object{"responseObject": object{"kind": "Pod", "metadata": object{"uid": uid, "labels": object{"app": app}}}})
}

// budget makes the controller write the allowance of an app's budget.
func (l *log) budget(namespace, app string, allowed int) {
	l.t.Helper()
	l.request("controllers", "update", "poddisruptionbudgets", "status", namespace, app, 200, object{"requestObject": object{
		"spec": object{"selector": object{"matchLabels": object{"app": app}}}, "status": object{"disruptionsAllowed": allowed},
	}})
}

func report(t *testing.T, j *Judge) Report {
	t.Helper()
	r, err := j.Report()
	require.NoError(t, err)
	return r
}

// A double deletion that was planted is found, also in a later report, and told from a
// later pod of the same name, another user's deletion and one that failed.
func TestPodsDeletedTwice(t *testing.T) {
	l, j := newLog(t)
	l.evict("a", "x", "1", "x", 200)
	l.evict("a", "y", "2", "y", 200)
	l.evict("a", "x", "3", "x", 200) // of the name of the first
	l.evict("a", "y", "2", "y", 409)
	l.request("kubelet", "delete", "pods", "", "a", "y", 200, object{"responseObject": object{"metadata": object{"uid": "2"}}})
	r := report(t, j)
	assert.Equal(t, 3, r.Victims)
	assert.Empty(t, r.Twice)
	assert.Equal(t, Writes{Deletes: 4}, r.Writes)

	l.evict("a", "y", "2", "y", 200)
	l.evict("b", "z", "4", "z", 200)
	l.request("scheduler", "delete", "pods", "", "b", "z", 200, object{"responseObject": object{"kind": "Status", "details": object{"uid": "4"}}})
	r = report(t, j)
	assert.Equal(t, 1, r.Victims)
	assert.Equal(t, []string{"a/y", "b/z"}, r.Twice)
	assert.Empty(t, r.Both)

	l.request("scheduler", "delete", "pods", "", "a", "y", 200, object{"userAgent": "another", "responseObject": object{"metadata": object{"uid": "2"}}})
	r = report(t, j)
	assert.Empty(t, r.Twice)
	assert.Equal(t, []string{"a/y"}, r.Both)
}

func TestReportsAddUp(t *testing.T) {
	one := Report{
		Bound: 1, Waited: []time.Duration{1}, Victims: 2, AgainstBudget: 1, Twice: []string{"a"}, Both: []string{"b"},
		Writes: Writes{Bindings: 1, StatusPatches: 2, Deletes: 3, Events: 4, Others: 5}, Unread: 1,
	}
	var sum Report
	sum.Add(&one)
	assert.Equal(t, one, sum)
	sum.Add(&one)
	assert.Equal(t, Report{
		Bound: 2, Waited: []time.Duration{1, 1}, Victims: 4, AgainstBudget: 2, Twice: []string{"a", "a"}, Both: []string{"b", "b"},
		Writes: Writes{Bindings: 2, StatusPatches: 4, Deletes: 6, Events: 8, Others: 10}, Unread: 2,
	}, sum)
}

// The budget's allowance at the answer to the deletion counts.
func TestVictimsAgainstBudgets(t *testing.T) {
	l, j := newLog(t)
	l.request("admin", "create", "poddisruptionbudgets", "", "a", "new", 201, object{"requestObject": object{
		"spec": object{"selector": object{"matchLabels": object{"app": "new"}}},
	}})
	l.budget("a", "web", 1)
	l.evict("a", "web-1", "1", "web", 200)
	l.budget("a", "web", 0)
	l.evict("a", "web-2", "2", "web", 200) // against it
	l.evict("b", "web-3", "3", "web", 200) // in another namespace
	l.evict("a", "api-1", "4", "api", 200) // covered by none
	l.evict("a", "new-1", "5", "new", 200) // against one whose status nobody has written yet
	l.evict("a", "web-2", "2", "web", 200) // no other victim
	r := report(t, j)
	assert.Equal(t, 5, r.Victims)
	assert.Equal(t, 2, r.AgainstBudget)

	l.evict("a", "web-4", "6", "web", 200) // the budget is remembered
	l.request("admin", "delete", "poddisruptionbudgets", "", "a", "web", 200, nil)
	l.evict("a", "web-5", "7", "web", 200)
	assert.Equal(t, 1, report(t, j).AgainstBudget)
}

func TestPodsBoundAndWrites(t *testing.T) {
	l, j := newLog(t)
	for i := range 3 {
		l.request("admin", "create", "pods", "", "trial", fmt.Sprint("p", i), 201, nil)
	}
	l.request("scheduler", "patch", "pods", "status", "trial", "p0", 200, nil)
	l.request("scheduler", "create", "events", "", "trial", "e", 201, nil)
	l.request("scheduler", "patch", "events", "", "trial", "e", 200, nil)
	l.request("scheduler", "update", "leases", "", "kube-system", "kube-scheduler", 200, nil)
	l.request("scheduler", "create", "pods", "binding", "trial", "p1", 409, nil)
	l.request("scheduler", "create", "pods", "binding", "trial", "p1", 201, nil)
	l.request("scheduler", "create", "pods", "binding", "else", "p2", 201, nil)
	r := report(t, j)
	assert.Equal(t, 2, r.Bound)
	assert.Equal(t, []time.Duration{7 * time.Second}, r.Waited)
	assert.Equal(t, Writes{Bindings: 3, StatusPatches: 1, Events: 2}, r.Writes)

	l.request("scheduler", "create", "pods", "binding", "trial", "p0", 201, nil)
	l.request("scheduler", "patch", "nodes", "", "", "n", 200, nil)
	r = report(t, j)
	assert.Equal(t, []time.Duration{10 * time.Second}, r.Waited)
	assert.Equal(t, Writes{Bindings: 1, Others: 1}, r.Writes)
}

// A line that is still being written is read when it is whole, and a killed
// server's rest of one is counted.
func TestLinesThatAreNotWhole(t *testing.T) {
	l, j := newLog(t)
	l.evict("a", "x", "1", "x", 200)
	whole, err := os.ReadFile(l.file)
	require.NoError(t, err)
	l.write(string(whole[:40]))
	assert.Equal(t, 1, report(t, j).Victims)
	l.write(string(whole[40:]))
	assert.Equal(t, []string{"a/x"}, report(t, j).Twice)
	l.write("{\"verb\": \"del\n")
	assert.Equal(t, 1, report(t, j).Unread)

	_, err = NewJudge(filepath.Join(t.TempDir(), "none"), "scheduler", "trial").Report()
	assert.ErrorContains(t, err, "audit log")
}

// The policy keeps what the judge needs, and the users' rights to read cost nothing.
func TestPolicy(t *testing.T) {
	var p struct {
		Rules []struct {
			Level string
			Users []string
			Verbs []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(Policy("scheduler", "trial")), &p))
	assert.Equal(t, "RequestResponse", p.Rules[0].Level) // UIDs and labels of victims
	for _, r := range p.Rules {
		assert.NotContains(t, r.Verbs, "get")
		assert.NotContains(t, r.Verbs, "watch")
	}
	assert.Equal(t, "None", p.Rules[len(p.Rules)-1].Level)
}
