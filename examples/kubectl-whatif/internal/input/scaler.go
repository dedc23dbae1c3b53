package input

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Scaler is a HorizontalPodAutoscaler.
type Scaler struct {
	// Kind, Namespace and Name are those of the object that it scales.
	Kind, Namespace, Name string
	// Least and Most bound the number of its pods.
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
	least := int32(1)
	if s.Spec.MinReplicas != nil {
		least = *s.Spec.MinReplicas
	}
	switch {
	case s.Spec.ScaleTargetRef.Kind == "" || s.Spec.ScaleTargetRef.Name == "":
		return nil, fmt.Errorf("%s: spec.scaleTargetRef: kind and name are wanted", o.called())
	case s.Spec.MaxReplicas < 1:
		return nil, fmt.Errorf("%s: spec.maxReplicas: %d, where 1 or more is wanted", o.called(), s.Spec.MaxReplicas)
	case least < 0 || least > s.Spec.MaxReplicas:
		return nil, fmt.Errorf("%s: spec.minReplicas: %d is not between 0 and spec.maxReplicas, %d", o.called(), least, s.Spec.MaxReplicas)
	}
	return &Scaler{
		Kind: s.Spec.ScaleTargetRef.Kind, Namespace: o.Namespace, Name: s.Spec.ScaleTargetRef.Name,
		Least: int(least), Most: int(s.Spec.MaxReplicas),
	}, nil
}
