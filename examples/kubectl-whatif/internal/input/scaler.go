package input

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Scaler is a HorizontalPodAutoscaler.
type Scaler struct {
	// Kind, Namespace and Name identify the object that the autoscaler scales.
	Kind, Namespace, Name string
	// Least and Most bound the number of the object's pods.
	Least, Most int
}

// ScalesPods reports whether an object is a HorizontalPodAutoscaler.
func (o *Object) ScalesPods() bool {
	return o.Kind == "HorizontalPodAutoscaler" && strings.HasPrefix(o.APIVersion, "autoscaling/")
}

// ScalerOf reads an autoscaler. Errors are about its fields.
func ScalerOf(o Object) (*Scaler, error) {
	var s struct {
		Spec struct {
			ScaleTargetRef struct {
				Kind string `json:"kind"`
				Name string `json:"name"`
			} `json:"scaleTargetRef"`
			MinReplicas *int32 `json:"minReplicas"`
			MaxReplicas int32  `json:"maxReplicas"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(o.Raw, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", o.called(), plainly(err))
	}

	target, most := s.Spec.ScaleTargetRef, s.Spec.MaxReplicas
	// The API server's default is one pod.
	least := int32(1)
	if s.Spec.MinReplicas != nil {
		least = *s.Spec.MinReplicas
	}

	switch {
	case target.Kind == "" || target.Name == "":
		return nil, fmt.Errorf("%s: spec.scaleTargetRef: kind and name are wanted", o.called())
	case most < 1:
		return nil, fmt.Errorf("%s: spec.maxReplicas: %d, where 1 or more is wanted", o.called(), most)
	case least < 0 || least > most:
		return nil, fmt.Errorf("%s: spec.minReplicas: %d is not between 0 and spec.maxReplicas, %d", o.called(), least, most)
	}
	return &Scaler{Kind: target.Kind, Namespace: o.Namespace, Name: target.Name, Least: int(least), Most: int(most)}, nil
}
