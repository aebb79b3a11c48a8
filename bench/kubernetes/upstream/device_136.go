//go:build k136

package upstream

import (
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type DeviceTaintRule = resourcev1beta2.DeviceTaintRule

func newDeviceController(client kubernetes.Interface, f informers.SharedInformerFactory) *devicetainteviction.Controller {
	r := f.Resource().V1()
	return devicetainteviction.New(client, f.Core().V1().Pods(), r.ResourceClaims(), r.ResourceSlices(), f.Resource().V1beta2().DeviceTaintRules(), r.DeviceClasses(), "tolerate", false)
}
