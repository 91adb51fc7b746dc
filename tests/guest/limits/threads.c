// Makes threads until the system refuses one, and says how.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *sleeper(void *arg) {
    pause();
    return 0;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    int made = 0, error = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    while (made < 5000 && !(error = pthread_create(&t, &attr, sleeper, 0))) made++;
    printf("%s, some made: %d\n", strerror(error), made > 0);
    return 0;
}
