package differential

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/labels"
)

var everything = labels.Everything()

// clearsNomination reports whether a patch of a pod's status takes its nomination away.
func clearsNomination(patch []byte) bool {
	var p struct {
		Status map[string]any `json:"status"`
	}
	if json.Unmarshal(patch, &p) != nil {
		return false
	}
	node, there := p.Status["nominatedNodeName"]
	return there && (node == nil || node == "")
}
