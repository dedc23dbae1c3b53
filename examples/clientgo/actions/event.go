package actions

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
)

// Event posts an event. It names no related object. Neither do the events of kube-scheduler v1.37 about
// victims, because it passes the preemptor as a value of which no reference can be made.
func (c *Client) Event(e outrank.Event) {
	if c.Events == nil || e.Pod == nil {
		return
	}
	about, err := c.current(e.Pod)
	if err != nil { // gone by now
		about = &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: e.Pod.NamespaceName(), Name: e.Pod.Name, UID: types.UID(e.Pod.UID)}}
	}
	c.Events.Eventf(about, nil, string(e.Type), e.Reason, e.Action, "%s", e.Message)
}
