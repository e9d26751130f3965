EXTRA_DIST += \
	tests/install/check-install \
	tests/install/client.c
